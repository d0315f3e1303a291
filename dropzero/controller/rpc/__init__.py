"""The controller's gRPC server: services for workers and operators, which pass requests on to the roster."""
