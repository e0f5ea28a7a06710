"""The server of a service: command line, settings, privileges, ports, admission, telemetry, logs."""
