"""Protocols of in-network aggregation, each a folder: run by the embedded switch or in virtual time, and audited."""
