"""Optimization problems: losses, gradients and data sets, divided among workers."""
