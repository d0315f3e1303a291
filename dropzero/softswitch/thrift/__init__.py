"""BMv2's Thrift services, for simple_switch_CLI and p4-utils.

Thrift's binary protocol is in `wire.py`, because a library would make every switch with a Thrift port slower to start:
thriftpy2 0.7 takes 45 ms of processor time to import, and 30 ms more to read an IDL of 80 functions.
"""
