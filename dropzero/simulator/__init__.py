"""Virtual time: the switch's engine and the workers' lanes, unchanged, between modelled links. `dropzero simulate`."""
