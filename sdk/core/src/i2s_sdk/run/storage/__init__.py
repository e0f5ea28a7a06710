"""The files of a run: its manifest, its instances, and the results of each stage."""
