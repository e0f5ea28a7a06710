"""One source to one picture, and one picture against another, without a run."""
