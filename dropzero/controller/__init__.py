"""The controller: installs the program on switches and admits workers to jobs."""
