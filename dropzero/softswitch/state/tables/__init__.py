"""Match-action tables and action profiles, as rows of words that native code looks up."""
