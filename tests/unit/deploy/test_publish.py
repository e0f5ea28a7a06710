"""Images are pushed, signed by their digests, and get their bills of materials, in this order."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
REGISTRY = "registry.example/group"

#: A client that knows the digest of what it has pushed, among those that other registries gave.
DOCKER = """#!/bin/sh
echo "docker $*" >>calls
case $1 in
    image) [ ! -e pushed ] || printf 'elsewhere.example/%s@sha256:0\\n%s@sha256:1\\n' "${5##*/}" "${5%:*}" ;;
    push) touch pushed ;;
esac
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout in which an image was built, and programs that record their calls."""
    for folder in ("deploy/images", "build/images", "programs"):
        (tmp_path / folder).mkdir(parents=True)
    shutil.copy(ROOT / "deploy/images/publish", tmp_path / "deploy/images/publish")
    (tmp_path / "build/images/metrics.spdx.json").write_text("{}")
    for name, text in (("docker", DOCKER), ("cosign", '#!/bin/sh\necho "cosign $*" >>calls\n')):
        (tmp_path / "programs" / name).write_text(text)
        (tmp_path / "programs" / name).chmod(0o755)
    return tmp_path


def publish(checkout: Path, *names: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["deploy/images/publish", REGISTRY, *names],
        cwd=checkout,
        env={"PATH": f"{checkout / 'programs'}:/usr/bin:/bin", "TAG": "1.2.3"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("names", [["metrics"], []])
def test_what_was_built_and_pushed_is_signed_by_its_digest_in_that_registry(checkout, names):
    done = publish(checkout, *names)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [{"name": f"{REGISTRY}/i2s-metrics", "digest": "sha256:1"}]
    calls = (checkout / "calls").read_text().splitlines()
    signed = f"{REGISTRY}/i2s-metrics@sha256:1"
    assert [call.split(" --format")[0] for call in calls] == [
        f"docker tag i2s-metrics:1.2.3 {REGISTRY}/i2s-metrics:1.2.3",
        f"docker push --quiet {REGISTRY}/i2s-metrics:1.2.3",
        "docker image inspect",
        f"cosign sign --yes {signed}",
        f"cosign attest --yes --type spdxjson --predicate build/images/metrics.spdx.json {signed}",
    ]


def test_an_image_without_a_bill_of_materials_is_not_pushed(checkout):
    done = publish(checkout, "sdk")
    assert done.returncode == 1
    assert "sdk.spdx.json is missing" in done.stderr
    assert not (checkout / "calls").exists()


def test_an_image_without_a_digest_is_not_signed(checkout):
    (checkout / "programs/docker").write_text('#!/bin/sh\necho "docker $*" >>calls\n')
    done = publish(checkout, "metrics")
    assert done.returncode == 1
    assert "no digest" in done.stderr
    assert "cosign" not in (checkout / "calls").read_text()
