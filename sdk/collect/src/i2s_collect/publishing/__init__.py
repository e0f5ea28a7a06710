"""The publication of a collected data set: Parquet files, a data card, a Croissant file and recipes."""
