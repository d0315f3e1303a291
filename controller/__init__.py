"""The controller: puts the program on switches, and admits workers to jobs; each package below does one part."""
