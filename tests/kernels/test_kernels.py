"""What holds on other kernels: each guest has run everything once, and each of its results is a test here.

What is expected of a guest stands in expected.json; what it runs, in guest/steps.py.
"""

from __future__ import annotations

import base64
import io
from typing import Any

import numpy as np
import pytest
from PIL import Image

from guest_disk import ROOT
from guest_machine import JAILS
from guest_results import EXPECTED, WAYS, Guest, attack_names

ENGINES = ("render-latex", "render-html", "render-lilypond")
ENGINES_IN_LANDLOCK = ("render-latex", "render-lilypond")
ATTACKS = attack_names(ROOT / "tests/security/jail/attacks")
#: The first Landlock that controls an access itself, and what the escape tests say where an older one does
#: not and the system call filter does not stand in for it.
HOLES = {
    "ioctl": (5, "escape test call_devices: called the driver of /dev/"),
    "signals": (6, "escape test signal_processes: may signal process"),
    "truncate": (3, "escape test truncate_files: emptied"),
}
SERVING = [((name, JAILS), way) for name, about in EXPECTED.items() for way in about["serve"]]
ATTACKED = [((name, f"attacks {way}"), way) for name, about in EXPECTED.items() for way in about["attacked"]]
#: Parts, users and engines of which services are started: those that render, and those that are refused.
STARTED = [
    ((name, f"render {user}"), user, engine)
    for name, about in EXPECTED.items()
    for user in about["rendered"]
    for engine in (ENGINES if user != "contained" else ENGINES_IN_LANDLOCK)
]
REFUSED = [one for one in STARTED if one[2] in EXPECTED[one[0][0]].get("refused", {}).get(one[1], {})]
RENDERED = [one for one in STARTED if one not in REFUSED]


def _id(value: object) -> str:
    return "-".join(value) if isinstance(value, tuple) else str(value)


every_guest = pytest.mark.parametrize("guest", [(name, JAILS) for name in EXPECTED], indirect=True, ids=_id)


@every_guest
def test_the_kernel_offers_the_landlock_that_is_to_be_tried(guest: Guest) -> None:
    expected = EXPECTED[guest.name]["landlock_abi"]
    if expected >= 6:  # everything that a jail uses; a backport becomes newer with time
        assert guest.landlock_abi >= expected
    else:
        assert guest.landlock_abi == expected


@every_guest
@pytest.mark.parametrize("way", WAYS)
def test_a_tier_serves_or_is_refused_in_one_line(guest: Guest, way: str) -> None:
    about = guest.jail(f"jail {way}")
    if way in EXPECTED[guest.name]["serve"]:
        assert "mechanisms" in about, about["refused"]
    else:
        assert about["refused"].strip()
        assert "\n" not in about["refused"]
        assert "Traceback" not in about["refused"]


@pytest.mark.parametrize(("guest", "way"), SERVING, indirect=["guest"], ids=_id)
def test_mechanisms_name_landlock_and_what_stands_in_for_it(guest: Guest, way: str) -> None:
    mechanisms = guest.jail(f"jail {way}")["mechanisms"]
    abi = guest.landlock_abi
    assert [mechanism for mechanism in mechanisms if mechanism.startswith("landlock")] == (
        [f"landlock abi {abi}"] if abi else []
    )
    standing_in = {mechanism for mechanism in mechanisms if "in place of landlock" in mechanism}
    expected = {
        f"seccomp in place of landlock: {name}"
        for name, first in {**{name: first for name, (first, _) in HOLES.items()}, "sockets": 6}.items()
        if way.endswith("LANDLOCK") and abi < first and (name != "signals" or not way.startswith("root"))
    }
    assert standing_in == expected


@pytest.mark.parametrize(("guest", "way"), SERVING, indirect=["guest"], ids=_id)
def test_jobs_are_followed_where_no_control_group_counts_their_processes(guest: Guest, way: str) -> None:
    mechanisms = guest.jail(f"jail {way}")["mechanisms"]
    grouped = any(mechanism.startswith("cgroup") for mechanism in mechanisms)
    assert ("processes followed" in mechanisms) != grouped


@pytest.mark.parametrize(("guest", "way"), ATTACKED, indirect=["guest"], ids=_id)
@pytest.mark.parametrize("attack", ATTACKS)
def test_attack_is_held(guest: Guest, way: str, attack: str) -> None:
    wrong = guest.output(f"attacks {way}")[attack]
    assert wrong is None, wrong


@pytest.mark.parametrize(
    ("guest", "left_out"),
    [
        ((name, JAILS), left_out)
        for name, about in EXPECTED.items()
        for left_out, (first, _) in HOLES.items()
        if 0 < about["landlock_abi"] < first
    ],
    indirect=["guest"],
    ids=_id,
)
def test_without_a_substitute_its_hole_is_found(guest: Guest, left_out: str) -> None:
    about = guest.jail(f"without {left_out}")
    assert about.get("refused", "served").startswith(HOLES[left_out][1])


def _tier(name: str, user: str) -> str | None:
    """The strongest tier that is to serve a user of a guest."""
    serving = [way.split()[1] for way in EXPECTED[name]["serve"] if way.startswith(user)]
    return max(serving, default=None)


def _image(picture: dict[str, Any]) -> Image.Image:
    assert picture["png"], picture
    return Image.open(io.BytesIO(base64.b64decode(picture["png"]))).convert("RGB")


def _share_that_differs(one: Image.Image, other: Image.Image) -> float:
    """The share of pixels that differ in two images of one size."""
    return float(np.any(np.asarray(one) != np.asarray(other), axis=2).mean())


@pytest.mark.parametrize(("guest", "user", "engine"), RENDERED, indirect=["guest"], ids=_id)
def test_pictures_are_the_same_in_every_pixel_but_where_the_guest_has_another_version_of_the_engine(
    guest: Guest, user: str, engine: str, rendered_here: dict[str, dict[str, Any]]
) -> None:
    rendered = guest.output(f"render {user}")["rendered"][engine]
    assert rendered.get("error") is None
    assert rendered["tier"] == _tier(guest.name, user)
    there, here = _image(rendered), _image(rendered_here[engine])
    assert there.size == here.size
    assert _share_that_differs(there, here) <= EXPECTED[guest.name].get("differ", {}).get(engine, 0.0)


@pytest.mark.parametrize(
    ("guest", "user"),
    [(part, user) for part, user, engine in RENDERED if engine == "render-html"],
    indirect=["guest"],
    ids=_id,
)
def test_the_sandbox_of_the_browser_is_on_where_user_namespaces_are_permitted(
    guest: Guest, user: str
) -> None:
    permitted = any(way.endswith("NAMESPACE") for way in EXPECTED[guest.name]["serve"])
    state = "(namespace, seccomp-bpf)" if permitted else "off"
    rendered = guest.output(f"render {user}")["rendered"]["render-html"]
    assert f"chromium sandbox {state}" in rendered["mechanisms"]


@pytest.mark.parametrize(("guest", "user", "engine"), REFUSED, indirect=["guest"], ids=_id)
def test_a_service_that_cannot_serve_ends_with_the_reason_in_one_line(
    guest: Guest, user: str, engine: str
) -> None:
    error = guest.output(f"render {user}")["rendered"][engine]["error"]
    assert EXPECTED[guest.name]["refused"][user][engine] in error.splitlines()[-1]
    assert "Traceback" not in error


@pytest.mark.parametrize(
    ("guest", "user"),
    [((name, f"render {user}"), user) for name, about in EXPECTED.items() for user in about["doctor"]],
    indirect=["guest"],
    ids=_id,
)
def test_doctor_finds_nothing_bad(guest: Guest, user: str) -> None:
    output = guest.output(f"render {user}")
    assert [finding for finding in output["doctor"]["findings"] if finding["state"] == "bad"] == []
    assert (output["doctor_code"], output["doctor"]["ok"]) == (0, True)
    findings = {finding["name"]: finding for finding in output["doctor"]["findings"]}
    for engine in ENGINES:
        assert findings[f"{engine} isolation"]["state"] == "good"
        assert findings[f"{engine} isolation"]["detail"].startswith(str(_tier(guest.name, user)).lower())
        assert findings[f"{engine} canary"]["state"] == "good"
