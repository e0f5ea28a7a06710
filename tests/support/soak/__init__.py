"""Good and hostile jobs at random over running services whose processes are killed and stopped."""
