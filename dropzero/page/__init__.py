"""The page of a run in a browser: a small server of its samples, and the page itself in `browser/`."""
