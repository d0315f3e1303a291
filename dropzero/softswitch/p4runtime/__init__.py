"""The P4Runtime service of a `Switch`, its roles and streams, and its gRPC server."""
