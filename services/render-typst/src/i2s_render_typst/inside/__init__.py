"""What runs inside of the sandbox: the Typst compiler."""
