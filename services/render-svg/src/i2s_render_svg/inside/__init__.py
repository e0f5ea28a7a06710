"""What runs inside of the sandbox: resvg, and the search for what it must not load."""
