"""A running program: `Engine.process` turns `Frames` into `Frames`; `Switch` holds the engine in use."""
