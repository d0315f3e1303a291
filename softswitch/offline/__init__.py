"""A switch without ports and servers: its program, its state and its packets come from files."""
