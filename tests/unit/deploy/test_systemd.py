"""The unit of systemd restarts a service, bounds it, and leaves the sandboxes of its jobs what they need."""

from __future__ import annotations

import shutil
import subprocess
from collections import defaultdict
from pathlib import Path

import pytest

from i2s_chassis.server.settings import ServiceSettings

UNIT = Path(__file__).parents[3] / "deploy/systemd/i2s@.service"
#: Options that take away what bubblewrap or a browser's own sandbox is made of, or hide parts of /proc, after
#: which the kernel lets nobody mount one.
BREAKS_SANDBOXES = (
    "RestrictNamespaces",
    "PrivateUsers",
    "ProtectProc",
    "ProcSubset",
    "ProtectKernelTunables",
    "ProtectKernelLogs",
    "ProtectControlGroups",
    "ProtectHostname",
    "MemoryDenyWriteExecute",
    "SystemCallFilter",
)


@pytest.fixture
def options() -> dict[str, list[str]]:
    found: defaultdict[str, list[str]] = defaultdict(list)
    for line in UNIT.read_text().splitlines():
        name, equals, value = line.partition("=")
        if equals and not line.startswith("#"):
            found[name].append(value)
    return dict(found)


def test_nothing_is_taken_from_the_sandboxes_of_jobs(options: dict[str, list[str]]) -> None:
    assert not set(BREAKS_SANDBOXES) & set(options)
    families = set(options["RestrictAddressFamilies"][0].split())
    assert families == {"AF_UNIX", "AF_INET", "AF_INET6", "AF_NETLINK"}  # bubblewrap needs the last


def test_a_service_has_no_privilege_and_writes_to_its_own_folders(options: dict[str, list[str]]) -> None:
    assert options["User"] == ["i2s"]
    assert options["CapabilityBoundingSet"] == [""]
    for name, value in (("NoNewPrivileges", "yes"), ("ProtectSystem", "strict"), ("ProtectHome", "yes")):
        assert options[name] == [value]


def test_it_is_restarted_for_ever_and_may_drain_first(options: dict[str, list[str]]) -> None:
    assert (options["Restart"], options["StartLimitIntervalSec"]) == (["always"], ["0"])
    assert options["KillMode"] == ["mixed"]  # no job gets a SIGTERM, which it could not be told of
    drain = ServiceSettings.model_fields["drain_seconds"].default
    assert float(options["TimeoutStopSec"][0]) > drain


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")
def test_systemd_knows_every_option(tmp_path: Path) -> None:
    unit = tmp_path / "i2s@render-latex.service"
    unit.write_text(UNIT.read_text().replace("/opt/i2s/bin/i2s-%i serve", "/bin/true"))
    command = ["systemd-analyze", "verify", "--man=no", str(unit)]
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (said.returncode, said.stderr) == (0, "")
