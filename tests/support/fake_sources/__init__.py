"""Stand-ins of the public sources on loopback, with every shape and fault that the collector meets."""
