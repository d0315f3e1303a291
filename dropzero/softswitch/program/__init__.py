"""A P4 program as typed data (`Program`), read from the JSON of p4c's BMv2 backend."""
