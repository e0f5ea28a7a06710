"""The manifests as kubectl renders them: base, base with each component, the two Jobs of a large run."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

KUBERNETES = Path(__file__).resolve().parents[3] / "deploy" / "kubernetes"
#: What another component is needed for.
NOT_ALONE = ("tokens", "gateway-store")
OF_JOBS = ("tls-client", "tracing-client", "volume", "dns-node-local", "dns-openshift")
COMPONENTS = tuple(
    sorted(
        path.parent.name
        for path in KUBERNETES.glob("components/*/kustomization.yaml")
        if path.parent.name not in (*OF_JOBS, *NOT_ALONE)
    )
)
#: What changes every Deployment, or where names are asked for.
WITH_GATEWAY = (
    "small",
    "cpu-scaling",
    "keda",
    "tls",
    "tracing",
    "monitoring",
    "dns-node-local",
    "dns-openshift",
)
JOBS = ("evaluate", "merge")

#: What is rendered, by a name of ours: resources and components.
VARIANTS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "base": (("base",), ()),
    **{name: (("base",), (name,)) for name in COMPONENTS},
    **{name: ((f"large-run/{name}",), ()) for name in JOBS},
    **{f"{name}-tls": ((f"large-run/{name}",), ("tls-client",)) for name in JOBS},
    **{f"{name}-tracing": ((f"large-run/{name}",), ("tracing-client",)) for name in JOBS},
    **{f"{name}-volume": ((f"large-run/{name}",), ("volume",)) for name in JOBS},
    **{f"{name}-{dns}": ((f"large-run/{name}",), (dns,)) for name in JOBS for dns in OF_JOBS[3:]},
    "reader": (("large-run/reader",), ()),
    **{f"gateway-{one}": (("base",), ("gateway", one)) for one in WITH_GATEWAY},
    "gateway-tokens": (("base",), ("gateway", "tls", "tokens")),
    "gateway-store": (("base",), ("gateway", "gateway-store")),
    "tokens": (("base",), ("tls", "tokens")),
    "together": (("base",), ("gateway", "tls", "monitoring", "tracing", "keda", "gpu", "userns")),
}

Object = dict[str, Any]

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True)
class Rendered:
    """The objects of one variant."""

    name: str
    folders: tuple[str, ...]
    objects: tuple[Object, ...]

    def of(self, kind: str) -> dict[str, Object]:
        return {one["metadata"]["name"]: one for one in self.objects if one["kind"] == kind}

    def pods(self) -> Iterator[tuple[str, Object]]:
        """Pod specs of everything that makes pods, by name."""
        for one in self.objects:
            if one["kind"] in {"Deployment", "Job"}:
                yield one["metadata"]["name"], one["spec"]["template"]["spec"]
            elif one["kind"] == "Pod":
                yield one["metadata"]["name"], one["spec"]

    def containers(self) -> Iterator[tuple[str, Object]]:
        """Containers of all pods, those that run before the others included."""
        for name, pod in self.pods():
            for container in (*pod.get("initContainers", ()), *pod["containers"]):
                yield f"{name}/{container['name']}", container

    def toml(self, service: str) -> str:
        """The settings file that a service's pod finds."""
        volumes = self.of("Deployment")[service]["spec"]["template"]["spec"]["volumes"]
        name = next(volume["configMap"]["name"] for volume in volumes if volume["name"] == "settings")
        return self.of("ConfigMap")[name]["data"]["service.toml"]


Render = Callable[[str], Rendered]


@pytest.fixture(scope="session")
def render(tmp_path_factory: pytest.TempPathFactory) -> Render:
    """Render a variant, once for all tests."""
    if shutil.which("kubectl") is None:
        pytest.skip("kubectl is not installed: NOTHING of deploy/kubernetes was checked")
    done: dict[str, Rendered] = {}

    def rendered(name: str) -> Rendered:
        if name not in done:
            done[name] = rendered_from(KUBERNETES, name, tmp_path_factory.mktemp(name))
        return done[name]

    return rendered


def rendered_from(kubernetes: Path, name: str, folder: Path) -> Rendered:
    """Render a variant of the manifests below a folder ``kubernetes``, by an overlay in another folder."""
    resources, components = VARIANTS[name]

    def listed(paths: tuple[str, ...]) -> list[str]:
        return [os.path.relpath(kubernetes / path, folder) for path in paths]

    content = {
        "resources": listed(resources),
        "components": listed(tuple(f"components/{component}" for component in components)),
    }
    (folder / "kustomization.yaml").write_text(yaml.safe_dump(content))
    command = ["kubectl", "kustomize", str(folder)]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    assert "deprecated" not in built.stderr
    objects = tuple(one for one in yaml.load_all(built.stdout, _Loader) if one)
    return Rendered(name, (*resources, *(f"components/{component}" for component in components)), objects)


@pytest.fixture
def render_below(render: Render) -> Callable[[Path, str, Path], Rendered]:
    """The function that renders a variant of the manifests in another folder."""
    return rendered_from


@pytest.fixture(scope="session")
def everything(render: Render) -> list[Rendered]:
    """All variants."""
    return [render(name) for name in VARIANTS]


@pytest.fixture(params=VARIANTS)
def variant(request: pytest.FixtureRequest, render: Render) -> Rendered:
    """Every variant in turn."""
    return render(request.param)


@pytest.fixture
def base(render: Render) -> Rendered:
    return render("base")
