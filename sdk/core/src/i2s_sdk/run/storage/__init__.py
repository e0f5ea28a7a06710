"""What is on disk of a run: its manifest, what it was going to do, and what each stage has found."""
