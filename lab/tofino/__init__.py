"""The Tofino program: compared with the model of a slot, and compiled by Intel's compiler for its resources."""
