"""Reports and tables of runs: the page, the tables of the paper, the numbers on the terminal."""

from i2s_sdk.report.page import Report, skills_document, write_page, write_report
from i2s_sdk.report.paper_tables import table
from i2s_sdk.report.summary import print_overview, print_skills, print_summary, print_turns
from i2s_sdk.report.tables import PaperTable

__all__ = [
    "PaperTable",
    "Report",
    "print_overview",
    "print_skills",
    "print_summary",
    "print_turns",
    "skills_document",
    "table",
    "write_page",
    "write_report",
]
