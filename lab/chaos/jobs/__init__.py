"""A job's calls, the worker that makes them, and the checker that knows every result: `check(...)`."""
