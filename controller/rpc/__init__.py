"""The gRPC server and its services for workers and operators, which pass requests to the roster."""
