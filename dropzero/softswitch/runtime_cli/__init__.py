"""simple_switch_CLI: BMv2's verbs for its Thrift port, with what they print."""
