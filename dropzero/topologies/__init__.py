"""Emulated networks of P4 switches, and the programs that run in them: started, watched, and always cleaned up."""

import logging
from contextlib import suppress
from importlib import import_module

# Mininet imports distutils. If setuptools is installed, it replaces distutils, which takes 0.2 s. It has no remove_shim
# from Python 3.12 on, which has no distutils.
with suppress(ImportError, AttributeError):
    import_module("_distutils_hack").remove_shim()
# Mininet makes all later loggers such as its own, which write no line ends.
with suppress(ImportError):
    import_module("mininet.log")
    logging.setLoggerClass(logging.Logger)
