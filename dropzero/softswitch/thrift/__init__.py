"""BMv2's Thrift services, for simple_switch_CLI and p4-utils."""
