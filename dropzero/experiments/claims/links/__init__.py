"""Claims about bytes and seconds on links: CAT, OmniReduce, SwitchML, and the time to a loss."""
