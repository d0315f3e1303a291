"""A pushed pipeline: the engine with its P4Info, and the translation of requests from ids to names."""
