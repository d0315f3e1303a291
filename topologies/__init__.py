"""Mininet networks of P4 switches, and the programs that run in them: started, watched, and always cleaned up."""
