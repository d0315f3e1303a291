"""The gRPC services for workers and operators, which pass requests on to the roster, and their server."""
