"""The parts that all i2s services share: callers, server, renderer, warm processes, jail."""
