"""Rules about who may know whom."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
SERVICES = {
    path.name for path in ROOT.glob("services/*/src/i2s_*") if path.is_dir() and path.name != "i2s_chassis"
}
LEARNING = {"torch", "torchvision", "lpips"}
SERVERS = {"grpc.server", "grpc.aio.server"}


def imported(package) -> dict[str, set[str]]:
    """First part of every imported name, with the files that import it."""
    found: dict[str, set[str]] = {}
    for module in package.modules:
        for name in module.imports():
            found.setdefault(name.partition(".")[0], set()).add(str(module.path))
    return found


@pytest.mark.parametrize("name", ["i2s-client", "i2s-sdk", "i2s-collect", "i2s-gateway", "i2s-training"])
def test_the_sdk_imports_neither_torch_nor_a_service(packages, name):
    forbidden = SERVICES | LEARNING | {"i2s_chassis"}
    assert {module: where for module, where in imported(packages[name]).items() if module in forbidden} == {}


@pytest.mark.parametrize(
    ("name", "above"),
    [
        ("i2s-client", {"i2s_sdk", "i2s_collect", "i2s_gateway", "i2s_training", "i2s_verifiers"}),
        ("i2s-sdk", {"i2s_collect", "i2s_gateway", "i2s_training", "i2s_verifiers"}),
        ("i2s-collect", {"i2s_gateway", "i2s_training", "i2s_verifiers"}),
        ("i2s-gateway", {"i2s_collect", "i2s_verifiers"}),
        ("i2s-training", {"i2s_collect", "i2s_gateway"}),
    ],
)
def test_packages_of_the_sdk_import_one_another_in_one_direction(packages, name, above):
    assert {module: where for module, where in imported(packages[name]).items() if module in above} == {}


def test_no_service_imports_another(packages):
    for package in packages.values():
        if package.import_names & SERVICES:
            others = (SERVICES | {"i2s_sdk"}) - package.import_names
            assert {name: where for name, where in imported(package).items() if name in others} == {}


def test_the_chassis_knows_no_engine_and_no_client(packages):
    forbidden = SERVICES | LEARNING | {"i2s_sdk"}
    assert {
        name: where for name, where in imported(packages["i2s-chassis"]).items() if name in forbidden
    } == {}


def test_only_the_chassis_makes_grpc_servers(packages):
    makers = [
        str(module.path)
        for package in packages.values()
        if package.name != "i2s-chassis"
        for module in package.modules
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) in SERVERS
    ]
    assert makers == []


def test_only_the_chassis_knows_health_and_reflection_servers(packages):
    # A client may ask for health: of grpc_health it may have the messages, not the servicer.
    knowing = [
        f"{module.path}: {name}"
        for package in packages.values()
        if package.name != "i2s-chassis"
        for module in package.modules
        for name in module.imports()
        if name.startswith("grpc_reflection")
        or name in {"grpc_health.v1.health", "grpc_health.v1.health.HealthServicer"}
    ]
    assert knowing == []


def test_messages_stay_at_the_rim_of_the_sdk(packages):
    inside = [
        str(module.path)
        for module in packages["i2s-sdk"].modules
        if not module.name.startswith("i2s_client") and any(n.startswith("i2s.") for n in module.imports())
    ]
    assert inside == []
