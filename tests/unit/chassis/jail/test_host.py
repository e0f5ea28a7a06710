"""What is read from the files of a host."""

from i2s_chassis.jail.host import distribution, hidepid, mount_flags

MOUNTS = """\
22 1 0:21 / / rw,relatime - ext4 /dev/vda rw
24 22 0:5 / /proc rw,nosuid,nodev,noexec,relatime - proc proc rw{proc}
25 22 0:22 / /tmp rw,nosuid,nodev,noexec - tmpfs tmpfs rw,size=1024k
26 22 0:23 / /tmpfiles rw,nodev - tmpfs tmpfs rw
27 22 0:24 / /var ro,relatime - ext4 /dev/vdb ro
"""


def test_a_proc_that_hides_nothing_has_no_hidepid():
    assert hidepid(MOUNTS.format(proc="")) == ""
    assert hidepid(MOUNTS.format(proc=",hidepid=0")) == ""
    assert hidepid(MOUNTS.format(proc=",hidepid=off")) == ""


def test_hidepid_is_found_in_numbers_and_in_words():
    assert hidepid(MOUNTS.format(proc=",hidepid=2,gid=5")) == "2"
    assert hidepid(MOUNTS.format(proc=",gid=5,hidepid=invisible")) == "invisible"


def test_what_is_mounted_last_covers_the_others():
    covered = MOUNTS.format(proc=",hidepid=2") + "30 24 0:30 / /proc rw - proc proc rw\n"
    assert hidepid(covered) == ""


def test_the_flags_are_those_of_the_nearest_mount():
    mounts = MOUNTS.format(proc="")
    assert mount_flags(mounts, "/tmp") == ("nosuid", "nodev", "noexec")
    assert mount_flags(mounts, "/tmp/user/0") == ("nosuid", "nodev", "noexec")
    assert mount_flags(mounts, "/tmpfiles/x") == ("nodev",)
    assert mount_flags(mounts, "/var/tmp") == ("ro",)
    assert mount_flags(mounts, "/srv") == ()


def test_the_distribution_is_its_name_and_what_it_is_like():
    assert distribution('NAME="Linux Mint"\nID=linuxmint\nID_LIKE="ubuntu debian"\n') == (
        "linuxmint",
        "ubuntu",
        "debian",
    )
    assert distribution("ID=debian\n") == ("debian",)
    assert distribution("") == ()
