"""Data sets: local folders and the bundled examples."""

from i2s_sdk.data.bundled import examples_folder
from i2s_sdk.data.folder import DataSet, read_folder
from i2s_sdk.data.instance import TASKS, Asset, Instance

__all__ = ["TASKS", "Asset", "DataSet", "Instance", "examples_folder", "read_folder"]
