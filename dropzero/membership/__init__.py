"""The controller's gRPC interface for workers and operators: messages, both clients, and access control."""
