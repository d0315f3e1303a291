"""A pushed pipeline: the engine together with the P4Info that names its parts, and requests translated from its ids."""
