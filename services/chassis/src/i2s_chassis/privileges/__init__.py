"""The privileges of a service: it runs as an ordinary user, without capabilities, under a filter of its own.

What needs more, the monitor and the spawner of jails and the announcer, are processes of their own, which are
started before. ``give_up`` does the rest.
"""

from i2s_chassis.privileges.drop import Standing, give_up

__all__ = ["Standing", "give_up"]
