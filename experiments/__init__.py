"""The papers' claims, tried in process and on an emulated rack, with a verdict and a figure for each."""
