"""Random programs for v1model: how they are made, run on BMv2 and on the embedded switch, compared, and reduced."""
