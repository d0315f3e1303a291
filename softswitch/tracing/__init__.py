"""`dropzero switch trace`: one packet's way through a program, as a tree."""
