"""Names that libraries have removed, and how each of them is put back for a program that uses it."""
