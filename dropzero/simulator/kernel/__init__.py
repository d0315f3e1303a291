"""The compiled code of virtual time, which runs once for each event: links, hosts and switches that pass packets."""
