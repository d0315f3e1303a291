"""Measurements, chaos, and the test suites of other projects. Most need networks."""

from contextlib import suppress

from dropzero.linux import rootless

# Before the process has threads. Without namespaces, what needs them says so.
with suppress(rootless.RefusedError):
    rootless.enter()
