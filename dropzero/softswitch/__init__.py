"""The embedded switch: BMv2 programs as machine code, with simple_switch_grpc's command line, P4Runtime and Thrift."""
