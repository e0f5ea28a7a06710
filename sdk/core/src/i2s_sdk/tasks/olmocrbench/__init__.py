"""olmOCR-bench: unit tests on the Markdown of pages, each passed or failed."""
