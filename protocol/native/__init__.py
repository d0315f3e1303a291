"""How hot code is compiled, and how it finds its arrays: `compiled`, and handles that are one address."""
