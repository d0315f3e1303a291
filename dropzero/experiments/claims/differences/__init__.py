"""Claims about compressed differences: DIANA, VR-DIANA, IntDIANA."""
