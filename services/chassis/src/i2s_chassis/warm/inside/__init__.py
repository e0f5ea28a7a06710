"""What runs in cells: a Python that forks for each job, and the confinement of its children."""
