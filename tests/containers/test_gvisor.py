"""Renderers under gVisor: the tier container, the same pixels, and hostile sources that leave nothing."""

import contextlib
import functools
import io
import json
import secrets
import time
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import docker_engine
from docker_engine import ROOT
from i2s_sdk import Limits, RenderRequest, render_latex, render_lilypond
from i2s_sdk.settings import Settings
from i2s_wire.render.request import LatexSource, LilypondSource
from one_container import START_SECONDS, renderer, start

RUNTIME = "i2s-runsc"
EXAMPLES = ROOT / "examples"
TASKS = {"render-latex": "latex", "render-lilypond": "music"}
SETTLE_SECONDS = 10
LIMITS = Limits(cpu_seconds=8.0, wall_seconds=60.0)
# What a service needs to be root among the users of its jobs, and no more.
CAPABILITIES = ("CHOWN", "DAC_OVERRIDE", "FOWNER", "KILL", "SETGID", "SETUID")
AS_ROOT = ("--user", "0:0", *(f"--cap-add={capability}" for capability in CAPABILITIES))


def latex(body):
    preamble = "\\documentclass{article}\\usepackage{verbatim,tikz}"
    return LatexSource(f"{preamble}\\begin{{document}}{body}\\end{{document}}".encode())


def lilypond(text):
    return LilypondSource(f'\\version "2.24.0"\n{text}'.encode())


LIMIT = {"TIME_LIMIT", "MEMORY_LIMIT", "PROCESS_LIMIT", "OUTPUT_LIMIT", "PAGE_LIMIT"}
ANY = LIMIT | {"COMPILE_ERROR", "NO_OUTPUT", "CRASHED", "RENDERED", "RENDERED_WITH_ERRORS"}
STAYS = "#(system \"setsid sh -c 'sleep 300 & sleep 300' >/dev/null 2>&1 &\")"
OPENS = '#(let loop ((n 0)) (close-port (open-file (format #f "f~a" n) "w")) (loop (+ n 1)))'
FILLS = '#(let ((p (open-file "big" "w"))) (let loop () (display (make-string 1000000 #\\x) p) (loop)))'
HOARDS = "#(let loop ((l '())) (loop (cons (make-vector 1000000 0) l)))"
FORKS = "#(let loop () (primitive-fork) (loop))"
OWNS = '#(system "echo owned > /tmp/owned; echo owned > /dev/shm/owned; echo owned > /opt/i2s/owned")'
READS = '#(system "cat /tmp/*/* /proc/*/mem > stolen; cat stolen >&2")'
ATTACKS = {
    "render-latex": {
        "loops": (latex("\\loop\\iftrue\\repeat"), {"TIME_LIMIT"}),
        "ships pages without end": (latex("\\loop\\hbox{x}\\newpage\\iftrue\\repeat"), LIMIT),
        "opens files without end": (
            latex("\\newcount\\n\\loop\\immediate\\openout3=f\\the\\n\\relax\\advance\\n1\\iftrue\\repeat"),
            LIMIT | {"COMPILE_ERROR"},
        ),
        "reads a file of the container": (latex("\\verbatiminput{/etc/passwd}"), ANY - LIMIT),
    },
    "render-lilypond": {
        "leaves processes behind": (lilypond(f"{STAYS} {{ c }}"), ANY - LIMIT),
        "forks without end": (lilypond(f"{FORKS} {{ c }}"), ANY),
        "takes all memory": (lilypond(f"{HOARDS} {{ c }}"), ANY - {"RENDERED", "RENDERED_WITH_ERRORS"}),
        "fills the disk": (lilypond(f"{FILLS} {{ c }}"), LIMIT | {"CRASHED", "COMPILE_ERROR"}),
        "makes files without end": (lilypond(f"{OPENS} {{ c }}"), LIMIT | {"CRASHED", "COMPILE_ERROR"}),
        "writes where everybody may": (lilypond(f"{OWNS} {{ c }}"), ANY - LIMIT),
        "reads what is closed": (lilypond(f"{READS} {{ c }}"), ANY - LIMIT),
        "kills its parent": (lilypond("#(kill (getppid) SIGKILL) { c }"), ANY - LIMIT),
    },
}
CASES = [(service, name) for service, attacks in ATTACKS.items() for name in attacks]
GOOD = {"render-latex": latex("Good $\\sum_i x_i$"), "render-lilypond": lilypond("{ c'4 e' g' c'' }")}

# Run inside, as root: what lives as a user of jobs, and what lies where everybody might have written.
LEFT = """
import json, os
alive = []
for name in filter(str.isdigit, os.listdir("/proc")):
    try:
        lines = open(f"/proc/{name}/status").read().splitlines()
    except OSError:
        continue
    status = dict(line.split(":\\t", 1) for line in lines if ":\\t" in line)
    if int(status["Uid"].split()[0]) >= 52000 and not status["State"].startswith("Z"):
        alive.append(status["Name"])
places = ("/tmp", "/dev/shm", "/opt/i2s")
owned = [place for place in places if os.path.exists(f"{place}/owned")]
jails = [f"/tmp/{name}/cells" for name in os.listdir("/tmp") if name.startswith("i2s-jail-")]
cells = [name for jail in jails for name in os.listdir(jail)]
print(json.dumps({"alive": sorted(alive), "owned": owned, "cells": len(cells)}))
"""


def left_in(renderer):
    """What lives as a user of jobs, files in other places than a cell's, and the number of cells."""
    return json.loads(
        renderer.engine.docker("exec", "--interactive", renderer.container, "python", "-I", "-", stdin=LEFT)
    )


@pytest.fixture(scope="module")
def network(engine):
    if RUNTIME not in json.loads(engine.docker("info", "--format", "{{json .Runtimes}}")):
        docker_engine.lacks(
            f"the engine has no runtime {RUNTIME}; install runsc (Debian: runsc), and give an engine that "
            f"runs already --add-runtime {RUNTIME}={ROOT}/tests/support/runsc"
        )
    name = f"i2s-gvisor-{secrets.token_hex(3)}"
    engine.undo("docker", "network", "rm", name)
    engine.docker("network", "create", "--internal", name)
    yield name
    engine.docker("network", "rm", name, check=False)


@pytest.fixture(scope="module")
def inside(engine, images, network):
    """Renderers under gVisor, each started when it is first asked for."""
    with contextlib.ExitStack() as stack:
        started = {}

        def get(service):
            if service not in started:
                settings = {"JAIL_TIER": "container"}
                if service == "render-latex":
                    settings["STATE_DIR"] = "/tmp/i2s-render-latex"
                    settings["FORMAT_AFTER"] = "0"  # a build in the background has a cell of its own
                one = renderer(
                    engine, network, images[service], service, *AS_ROOT, runtime=RUNTIME, **settings
                )
                started[service] = stack.enter_context(one)
            return started[service]

        yield get


def example(service):
    lines = (EXAMPLES / "instances.jsonl").read_text(encoding="utf-8").splitlines()
    row = next(row for row in map(json.loads, lines) if row["task"] == TASKS[service])
    return Path(EXAMPLES / row["structure"]).read_text(encoding="utf-8")


def draw(renderer, service):
    """Render the first example of a task as the benchmark does."""
    settings = Settings(**{service.replace("-", "_"): renderer.address}, retry_seconds=START_SECONDS)
    return {"render-latex": render_latex, "render-lilypond": render_lilypond}[service](
        example(service), settings=settings
    )


def pictures(client, source):
    rendering = client.render(RenderRequest(source))
    assert rendering.verdict.has_picture, rendering.message
    return [picture.png for picture in rendering.pictures]


def pixels(png):
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB"))


@pytest.mark.parametrize("service", TASKS)
def test_an_example_has_the_same_pixels_under_gvisor(engine, images, network, inside, service):
    here = draw(inside(service), service)
    assert here.rendering.isolation.tier.name == "CONTAINER"
    assert "gvisor" in here.rendering.isolation.mechanisms
    with renderer(engine, network, images[service], service) as plain:
        usual = draw(plain, service)
    assert usual.rendering.isolation.tier.name == "LANDLOCK"
    assert here.rendering.verdict is usual.rendering.verdict
    assert here.rendering.verdict.has_picture
    assert np.array_equal(pixels(here.png), pixels(usual.png))


@pytest.fixture(scope="module")
def before(inside):
    """Return a function from a service to its good images and to its warm processes between jobs."""

    @functools.cache
    def ask(service):
        good, left = pictures(inside(service).client, GOOD[service]), left_in(inside(service))
        assert not left["owned"]
        return good, left

    return ask


@pytest.mark.parametrize(("service", "name"), CASES)
def test_an_attack_under_gvisor_ends_in_a_verdict_and_leaves_nothing(inside, before, service, name):
    source, verdicts = ATTACKS[service][name]
    renderer, (good, idle) = inside(service), before(service)
    rendering = renderer.client.render(RenderRequest(source, limits=LIMITS))
    assert rendering.verdict.name in verdicts, rendering.message
    assert "owned" not in rendering.message
    assert pictures(renderer.client, GOOD[service]) == good
    end = time.monotonic() + SETTLE_SECONDS  # the answer comes before a cell is gone
    while (left := left_in(renderer)) != idle and time.monotonic() < end:
        time.sleep(0.5)
    assert left == idle


def last_words(engine, container):
    """Wait for the end of a container; returns its exit code and the last line that it said."""
    end = time.monotonic() + START_SECONDS
    while json.loads(engine.docker("inspect", container))[0]["State"]["Running"]:
        assert time.monotonic() < end, "it still runs"
        time.sleep(0.2)
    code = json.loads(engine.docker("inspect", container))[0]["State"]["ExitCode"]
    said = engine.docker("logs", container)
    engine.docker("rm", container)
    return code, said.splitlines()[-1]


@pytest.mark.parametrize(
    ("service", "runtime", "arguments", "reason"),
    [
        ("render-lilypond", "runc", AS_ROOT, "this kernel is not gVisor's"),
        ("render-latex", RUNTIME, (), "start the service as root there"),
        ("render-html", RUNTIME, AS_ROOT, "no browser starts in the isolation tier container"),
    ],
)
def test_a_service_that_cannot_have_the_tier_ends_and_says_why(
    engine, images, network, service, runtime, arguments, reason
):
    container = start(
        engine, network, images[service], service, *arguments, runtime=runtime, JAIL_TIER="container"
    )
    code, said = last_words(engine, container)
    assert code != 0
    assert reason in said
