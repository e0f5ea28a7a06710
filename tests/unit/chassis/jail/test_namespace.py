"""Whether a sandbox can have a /proc of its own."""

from i2s_chassis.jail.namespace import hides_parts_of_proc

LINE = "{number} 1 0:1 / {point} rw,nosuid - {kind} {kind} rw\n"


def mountinfo(*points):
    return "".join(
        LINE.format(number=number, point=point, kind="tmpfs") for number, point in enumerate(points)
    )


def test_a_machine_without_mounts_below_proc_hides_nothing():
    assert not hides_parts_of_proc(mountinfo("/", "/proc", "/sys"))


def test_the_folder_that_is_always_empty_hides_nothing():
    assert not hides_parts_of_proc(mountinfo("/", "/proc", "/proc/sys/fs/binfmt_misc"))


def test_masks_of_a_container_runtime_hide_parts():
    assert hides_parts_of_proc(mountinfo("/", "/proc", "/proc/acpi", "/proc/kcore", "/proc/sys"))
