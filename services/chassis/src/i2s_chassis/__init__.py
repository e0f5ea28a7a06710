"""What every i2s service shares: callers, server, renderer, warm processes, jail."""
