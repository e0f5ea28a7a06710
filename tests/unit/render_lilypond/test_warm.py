"""Which jobs a warm process may serve, and what its cell is given."""

import pytest

from i2s_chassis.limits import Limits
from i2s_chassis.warm.program import WarmSettings

SETTINGS = WarmSettings(Limits())


def test_time_pages_and_pixels_may_differ_from_job_to_job():
    assert SETTINGS.fit(Limits(cpu_seconds=1, wall_seconds=2, pages=1, pixels=10, log_bytes=5))


@pytest.mark.parametrize("name", ["memory_bytes", "processes", "file_bytes", "disk_bytes", "inodes"])
def test_what_a_cell_is_made_with_may_not(name):
    assert not SETTINGS.fit(Limits(**{name: getattr(Limits(), name) - 1}))
    assert not SETTINGS.fit(Limits(**{name: getattr(Limits(), name) + 1}))


def test_the_cell_has_room_for_the_process_beside_the_job():
    cell = SETTINGS.cell()
    assert cell.memory_bytes == Limits().memory_bytes + SETTINGS.memory_bytes
    assert cell.processes > Limits().processes
    assert cell.file_bytes == Limits().file_bytes
