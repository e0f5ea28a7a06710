"""Warm workers, prepared ahead of the jobs they will serve."""

from i2s_chassis.pool.supervisor import Backoff, Lease, Supervisor

__all__ = ["Backoff", "Lease", "Supervisor"]
