"""Numbers of a run, of several runs, and how sure they are: pure functions of records."""
