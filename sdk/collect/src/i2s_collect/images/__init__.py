"""What is decided by looking at pictures: blank ones, duplicates, sheet music, systems of a page."""
