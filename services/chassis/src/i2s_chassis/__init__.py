"""What every i2s service shares: server, settings, telemetry, jail, pool."""
