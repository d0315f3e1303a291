"""The claims: for each the trials that would show it, and the judgement over what they measured."""
