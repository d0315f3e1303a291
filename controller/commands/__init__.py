"""The commands of `dropzero controller`: `serve`, and those with which operators inspect and change jobs."""
