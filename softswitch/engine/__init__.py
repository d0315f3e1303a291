"""A running program: `Engine.process` takes `Frames` in and gives `Frames` out; `Switch` is the engine in use."""
