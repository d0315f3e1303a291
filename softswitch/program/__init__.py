"""A P4 program as types, read from the JSON of p4c's BMv2 backend; everything else here works on a `Program`."""
