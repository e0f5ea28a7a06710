"""The manifests without a cluster: ``podman kube play`` runs those of a renderer, which then renders."""

import json
import os
import shutil
import subprocess

import pytest
import yaml

from docker_engine import ROOT, lacks, run
from i2s_sdk import RenderClient, RenderRequest, RetryPolicy
from i2s_wire.render.request import LilypondSource

NAME = "render-lilypond"
IMAGE = f"i2s-{NAME}:latest"
NETWORK = "i2s-closed"
SCORE = LilypondSource(b"\\version \"2.24.0\"\n{ c'4 e' g' c'' }")
#: What podman itself needs where hard limits are low, or systemd is absent.
SETTINGS = """
[containers]
default_ulimits = ["nofile=16384:16384", "nproc=8192:8192"]
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
"""


class Podman:
    """Podman with storage, networks and settings of its own, all in one folder."""

    def __init__(self, folder):
        settings = folder / "containers.conf"
        settings.write_text(SETTINGS + ('runtime = "runc"\n' if shutil.which("runc") else ""))
        self.environment = {**os.environ, "CONTAINERS_CONF": str(settings)}
        self.command = ["podman"]
        for option in ("root", "runroot", "tmpdir", "network-config-dir"):
            self.command += [f"--{option}", str(folder / option)]

    def __call__(self, *arguments, seconds=120, check=True):
        return run([*self.command, *arguments], self.environment, seconds=seconds, check=check, apart=True)


def rendered(folder):
    """Deployment and settings of the renderer, as kustomize makes them, for a machine with one node."""
    deploy = os.path.relpath(ROOT / "deploy/kubernetes", folder)
    kustomization = {"resources": [f"{deploy}/base"], "components": [f"{deploy}/components/small"]}
    (folder / "kustomization.yaml").write_text(yaml.safe_dump(kustomization))
    objects = [
        one
        for one in yaml.safe_load_all(run(["kubectl", "kustomize", str(folder)], apart=True))
        if one["kind"] in ("Deployment", "ConfigMap") and one["metadata"]["name"].startswith(NAME)
    ]
    assert len(objects) == 2
    for one in objects:
        if one["kind"] == "Deployment":
            # Podman would open each of them on all addresses of this machine.
            del one["spec"]["template"]["spec"]["containers"][0]["ports"]
    path = folder / "renderer.yaml"
    path.write_text(yaml.safe_dump_all(objects))
    return path


@pytest.fixture
def podman(engine, images):
    if shutil.which("kubectl") is None:  # no package of Debian's is new enough
        pytest.skip("kubectl, which renders the manifests, is not installed: podman kube play IS NOT TESTED")
    if shutil.which("podman") is None:
        lacks("podman is not installed (Debian: podman, netavark, aardvark-dns, catatonit)")
    folder = engine.afterwards.folder / "podman"  # its name is short, as podman wants it
    folder.mkdir()
    one = Podman(folder)
    engine.undo(
        *one.command, "system", "reset", "--force", CONTAINERS_CONF=one.environment["CONTAINERS_CONF"]
    )
    with subprocess.Popen(
        ["docker", "save", images[NAME]], env=engine.environment, stdout=subprocess.PIPE
    ) as saved:
        subprocess.run([*one.command, "load", "--quiet"], stdin=saved.stdout, env=one.environment, check=True)
    yield one
    one("system", "reset", "--force")


def test_podman_plays_the_manifests_of_a_renderer(podman, tmp_path):
    manifest = rendered(tmp_path)
    podman("network", "create", "--internal", NETWORK)
    podman("kube", "play", "--network", NETWORK, str(manifest))
    names = podman("ps", "--format", "{{.Names}}").split()
    container = next(name for name in names if name.endswith("-service"))
    try:
        about = json.loads(podman("inspect", container))[0]
        assert about["HostConfig"]["ReadonlyRootfs"]
        assert about["Config"]["User"] == "10013:10013"
        assert about["EffectiveCaps"] in (None, [])

        address = about["NetworkSettings"]["Networks"][NETWORK]["IPAddress"]
        with RenderClient(f"{address}:7730", retry=RetryPolicy(total_seconds=240)) as renderer:
            rendering = renderer.render(
                RenderRequest(LilypondSource(b"\\version \"2.24.0\"\n{ c'4 e' g' c'' }"))
            )
            assert rendering.verdict.name == "RENDERED", rendering.message
            assert renderer.describe().isolation.tier.name == "LANDLOCK"
    finally:
        print(podman("logs", container, check=False)[-2000:])
        podman("kube", "down", str(manifest), check=False)
