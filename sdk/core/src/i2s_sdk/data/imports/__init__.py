"""Importers: data sets of other benchmarks, as they are published, to data sets of format 2."""
