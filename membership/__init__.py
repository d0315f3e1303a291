"""What workers, operators and the controller say to each other: gRPC messages, both clients, and access control."""
