"""What holds for every suite."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# No test may depend on the load of the machine, so no example has a deadline.
settings.register_profile("i2s", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("i2s")
