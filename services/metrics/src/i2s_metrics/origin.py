"""Importing this prepares the process that all processes of this service are forked from.

It imports what they need and compiles machine code, and closes its memory and environment to other processes
of its user; what is forked from it is closed too.
"""

from __future__ import annotations

from i2s_chassis.jail import own_process
from i2s_metrics import confinement, warm, worker

__all__ = ["confinement", "warm", "worker"]

own_process.hide()
