"""`dropzero switch trace`: one packet's path through a program, as a tree."""
