"""Python functions as machine code (`compiled`), cached on disk: what they may call (`intrinsics`), memory at addresses
(`memory`), tuples of arrays by address (`Handle`)."""
