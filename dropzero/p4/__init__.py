"""The messages of P4Runtime 1.4.1 (github.com/p4lang/p4runtime, Apache License 2.0).

PyPI's package `p4runtime` has them, too, but no release of it works with protobuf 4 and later. In the environment that
the Makefile makes, its name, `p4`, is a link to this package.
"""

GROWTH = "packet-growth"
"""In the trailing metadata of Capabilities: by how many bytes the switch lets a packet grow."""
