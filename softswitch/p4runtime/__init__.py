"""The P4Runtime service of a `Switch`, its roles and streams, and the gRPC server it runs on."""
