"""The papers' methods as optimizers: estimators, step sizes, and a catalogue that combines them by name."""
