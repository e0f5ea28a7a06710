"""Rules about what reads files and messages of others."""

import ast
from collections.abc import Iterator

#: Functions that may be called in one module alone, by the end of its name.
ONLY_IN = {
    "json.loads": ("i2s_sdk.json_text", "tasks.webpage.helm_files"),
    "json.load": (),
    "tomllib.loads": ("i2s_sdk.json_text",),
    "tomllib.load": (),
}


def calls(package) -> Iterator[tuple[str, str, str]]:
    """Module, dotted name and place of every call."""
    for module in package.modules:
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Call):
                yield module.name, ast.unparse(node.func), f"{module.path}:{node.lineno}"


def test_the_sdk_reads_json_and_toml_in_one_place(packages):
    found = [
        where
        for module, name, where in calls(packages["i2s-sdk"])
        if name in ONLY_IN and not module.endswith(ONLY_IN[name])
    ]
    assert found == []


def test_pictures_are_opened_in_one_place_and_in_named_formats(packages):
    one_place = {"i2s_sdk": "i2s_sdk.instances.images", "i2s_metrics": "i2s_metrics.images"}
    found = []
    for package in packages.values():
        for module in package.modules:
            for node in ast.walk(module.tree):
                if not isinstance(node, ast.Call) or not ast.unparse(node.func).endswith("Image.open"):
                    continue
                elsewhere = module.name != one_place.get(module.name.partition(".")[0], module.name)
                formats = next((keyword.value for keyword in node.keywords if keyword.arg == "formats"), None)
                if elsewhere or formats is None:
                    found.append(f"{module.path}:{node.lineno}")
    assert found == []


def test_no_module_takes_the_opening_of_pictures_by_another_name(packages):
    names = {"PIL.Image.open", "PIL.ImageFile.Parser", "PIL.EpsImagePlugin"}
    found = [
        f"{module.path}: {name}"
        for package in packages.values()
        for module in package.modules
        for name in module.imports()
        if name in names
    ]
    assert found == []


def test_commands_print_in_one_place(packages):
    printing = {
        "click.echo",
        "click.secho",
        "print",
        "sys.stdout.write",
        "sys.stderr.write",
        "sys.stdout.buffer.write",
    }
    found = [
        where
        for module, name, where in calls(packages["i2s-sdk"])
        if module.startswith("i2s_sdk.cli") and name in printing and module != "i2s_sdk.cli.terminal"
    ]
    assert found == []
