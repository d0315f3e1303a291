"""Mutants of what claims name: each must change the verdict of its claim."""
