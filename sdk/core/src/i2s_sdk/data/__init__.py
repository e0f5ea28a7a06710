"""Data sets: local folders, Hugging Face, the bundled examples; and which of their instances are taken."""

from i2s_sdk.data.folder import DataSet, read_folder
from i2s_sdk.data.locations import examples_folder
from i2s_sdk.data.opening import open_data
from i2s_sdk.data.selection import Selection, Shard
from i2s_sdk.instances.instance import Asset, Instance
from i2s_sdk.tasks.registry import TASKS

__all__ = [
    "TASKS",
    "Asset",
    "DataSet",
    "Instance",
    "Selection",
    "Shard",
    "examples_folder",
    "open_data",
    "read_folder",
]
