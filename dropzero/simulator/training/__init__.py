"""Training in virtual time: the operations of an execution trace, with its all-reduces through the switch."""
