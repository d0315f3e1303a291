"""The claims: for each the trials that test it, and a judge of what they measured."""
