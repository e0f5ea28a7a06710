"""No type of the wire is written twice."""

import ast
import sys

import pytest

#: Types that look like one of i2s_wire and are another.
APART = {
    # The jail and its limits run in a bare interpreter, without i2s_wire: see the test of its imports below.
    # tests/unit/chassis/renderer/test_wire.py holds their names and numbers to those of the wire.
    "i2s_chassis.jail.model.Tier",
    "i2s_chassis.jail.model.PolicyKind",
    "i2s_chassis.jail.model.PolicyEvent",
    "i2s_chassis.jail.model.Usage",
    "i2s_chassis.jail.model.Excerpt",
    # Every limit is always in force there; on the wire 0 means the default.
    "i2s_chassis.job_limits.Limits",
    # One path may stand there twice.
    "i2s_chassis.renderer.bounds.ReceivedSource",
    # Nothing is left to a default there.
    "i2s_chassis.renderer.model.ResolvedPageOptions",
    # These have two or three fields of the same names, and another meaning.
    "i2s_chassis.renderer.verdict.Judgement",
    "i2s_render_latex.source_error.LatexDiagnosis",
    "i2s_sdk.run.storage.record.Failure",
}
CONVERSIONS = {"codec", "messages"}
STUBS = ("i2s.", "google.", "grpc")

#: Has descriptors of the messages, and neither their stubs nor types of its own for them.
DESCRIPTORS = "i2s_wire.contract"
#: End of the names of modules that keep messages as bytes, and show types of the wire alone.
SERIALIZED = ".serialized"


def members(node: ast.ClassDef) -> frozenset[str]:
    """Names of the fields of a dataclass or of the members of an enum."""
    targets = [one.target for one in node.body if isinstance(one, ast.AnnAssign)]
    targets += [one.targets[0] for one in node.body if isinstance(one, ast.Assign)]
    return frozenset(target.id for target in targets if isinstance(target, ast.Name))


def classes(package, inside):
    """Every class with more than one field or member, by its full name; those of i2s_wire or all others."""
    return {
        f"{module.name}.{node.name}": members(node)
        for module in package.modules
        if module.name.startswith("i2s_wire.") == inside
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ClassDef) and len(members(node)) > 1
    }


def is_conversion(name: str) -> bool:
    return name.startswith("i2s_wire.") and bool(CONVERSIONS & set(name.split(".")))


def test_no_type_of_the_wire_is_written_twice(packages):
    wire = set(classes(packages["i2s-protos"], inside=True).values())
    assert len(wire) > 30
    others = [classes(package, inside=False) for package in packages.values()]
    same = {name for found in others for name, fields in found.items() if fields in wire}
    assert same == APART


def test_only_conversions_know_the_stubs(packages):
    wire = [module for module in packages["i2s-protos"].modules if module.name.startswith("i2s_wire.")]
    knowing = {
        module.name
        for module in wire
        if not (is_conversion(module.name) or module.name.endswith(SERIALIZED))
        for name in module.imports()
        if name.startswith(STUBS) or is_conversion(name)
        if not (module.name == DESCRIPTORS and name.startswith("google."))
    }
    assert knowing == set()


def test_the_sdk_converts_in_its_clients_alone(packages):
    converting = {
        module.name
        for module in packages["i2s-sdk"].modules
        if not module.name.startswith("i2s_client.")
        for name in module.imports()
        if is_conversion(name)
    }
    assert converting == set()


def test_the_jail_needs_nothing_but_python_and_the_chassis(packages):
    # Its spawner is a fresh interpreter without site packages, as root where the service was started as root.
    jail = [
        module for module in packages["i2s-chassis"].modules if module.name.startswith("i2s_chassis.jail.")
    ]
    foreign = {
        f"{module.name}: {name}"
        for module in jail
        for name in module.imports()
        if name.partition(".")[0] not in {*sys.stdlib_module_names, "i2s_chassis"}
    }
    assert len(jail) > 25
    assert foreign == set()


@pytest.mark.parametrize("number", ["25_000_000", "60 * _MIB", "60 * 1024 * 1024"])
def test_a_bound_that_clients_and_services_share_is_written_once(packages, number):
    writing = [
        module.name
        for package in packages.values()
        for module in package.modules
        if number in module.path.read_text()
    ]
    assert writing in ([], ["i2s_wire.bounds"])
