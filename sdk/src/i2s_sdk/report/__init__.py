"""Tables for the terminal and the page of a run."""

from i2s_sdk.report.page import write_page
from i2s_sdk.report.table import print_summary

__all__ = ["print_summary", "write_page"]
