"""Emulated networks of P4 switches, and the programs that run in them: started, watched, and always cleaned up."""

from contextlib import suppress
from importlib import import_module

# Mininet imports distutils. If setuptools is installed, it replaces distutils, which takes 0.2 s.
with suppress(ImportError):
    import_module("_distutils_hack").remove_shim()
