"""The metrics as pure functions of NumPy arrays; each module is one definition."""
