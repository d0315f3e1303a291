"""Fills a switch without ports and servers: with a program, entries and packets from files or from a running switch."""
