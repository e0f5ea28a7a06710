"""What a soak takes for a fault."""

from soak.judge import MIB, Checkpoint, Tolerance, excess, memory_complaints
from soak.resources import Held, Look


def look(memory=100, processes=4, descriptors=36, orphans=0, entries=10, pid=1):
    return Look({"renderer": Held(pid, memory * MIB, processes, descriptors)}, orphans, entries)


def points(*held):
    return [Checkpoint({"renderer": jobs}, one) for jobs, one in held]


def test_what_is_within_the_tolerance_is_no_fault():
    assert excess(look(), look(processes=6, descriptors=44, entries=14), Tolerance()) == []


def test_each_number_beyond_its_tolerance_is_said():
    found = excess(look(), look(processes=7, descriptors=45, entries=15, orphans=1), Tolerance())
    assert len(found) == 4


def test_a_service_that_is_not_there_is_said():
    assert excess(look(), Look({}, 0, 10), Tolerance()) == ["renderer is not there"]


def test_a_megabyte_of_each_job_is_found_and_a_single_rise_is_not():
    kept = points((10, look(100)), (30, look(120)), (50, look(140)))
    assert memory_complaints(kept, Tolerance()) == ["renderer keeps 1.00 MiB of each of 40 jobs"]
    once = points((10, look(100)), (30, look(140)), (50, look(140)), (70, look(140)), (90, look(140)))
    assert memory_complaints(once, Tolerance()) == []


def test_a_start_of_a_service_between_two_checkpoints_is_no_growth():
    restarted = points((10, look(60, pid=1)), (30, look(160, pid=2)), (50, look(160, pid=2)))
    assert memory_complaints(restarted, Tolerance()) == []
