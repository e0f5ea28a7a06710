"""Every package says what it offers, and offers what it says."""

import ast
import importlib
import importlib.util

import pytest


def bound(statements: list[ast.stmt]) -> set[str]:
    """Public names that these statements bind."""
    names: set[str] = set()
    for node in statements:
        match node:
            case ast.ImportFrom(module=module) if module != "__future__":
                names |= {alias.asname or alias.name for alias in node.names if alias.name != "TYPE_CHECKING"}
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                names.add(name)
            case ast.Assign(targets=targets):
                names |= {target.id for target in targets if isinstance(target, ast.Name)}
            case ast.AnnAssign(target=ast.Name(id=name)):
                names.add(name)
            case ast.If(test=ast.Name(id="TYPE_CHECKING"), body=body):
                names |= bound(body)
    return {name for name in names if not name.startswith("_")}


def exported(tree: ast.Module) -> list[str] | None:
    """The value of ``__all__``, or None without one."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return ast.literal_eval(node.value)
    return None


@pytest.mark.slow
def test_all_agrees_with_what_a_package_defines(packages):
    wrong = {}
    for package in packages.values():
        for module in package.modules:
            if module.path.name != "__init__.py":
                continue
            names = exported(module.tree)
            if set(names or ()) != bound(module.tree.body):
                wrong[str(module.path)] = sorted(set(names or ()) ^ bound(module.tree.body))
    assert wrong == {}


#: Packages that import a framework which the environment of `make test` does not hold; the suite training
#: imports them.
OF_FRAMEWORKS = {"i2s_verifiers": "verifiers"}


def test_every_exported_name_can_be_had(packages):
    absent = []
    for package in packages.values():
        for module in package.modules:
            if module.path.name != "__init__.py" or not exported(module.tree):
                continue
            framework = OF_FRAMEWORKS.get(module.name.partition(".")[0])
            if framework is not None and importlib.util.find_spec(framework) is None:
                continue
            imported = importlib.import_module(module.name.removesuffix(".__init__"))
            absent += [
                f"{imported.__name__}.{name}" for name in imported.__all__ if not hasattr(imported, name)
            ]
    assert absent == []
