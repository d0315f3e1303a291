"""The commands of `dropzero controller`: `serve`, and the operator's commands."""
