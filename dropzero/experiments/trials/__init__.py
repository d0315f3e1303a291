"""The parts of experiments: claims, trials, and measurements."""
