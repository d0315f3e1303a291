"""Emulated racks on which schemes are measured: `Testbed.measure(scheme, cases)`."""
