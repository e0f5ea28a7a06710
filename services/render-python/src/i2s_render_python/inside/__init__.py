"""What runs inside of the sandbox: the process that runs programs, and what it does to them."""
