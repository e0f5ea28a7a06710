"""References and patterns of a JSON Schema: each has to lead somewhere, and none back to itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from i2s_sdk.tasks.sobench.ecma_patterns import PatternError, is_python_pattern, require_pattern

if TYPE_CHECKING:  # importing it takes a tenth of a second
    from referencing.jsonschema import SchemaResource

#: Keywords whose subschemas apply to the same value as the schema around them.
_IN_PLACE_LISTS = ("allOf", "anyOf", "oneOf")
_IN_PLACE = ("not", "if", "then", "else")
_IN_PLACE_MAPS = ("dependentSchemas",)
_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")


def reference_fault(schema: dict[str, Any], dialect: str) -> str:
    """Return what is wrong with the references and patterns of a schema, empty for nothing.

    Args:
        schema: Valid under the metaschema of its draft.
        dialect: URI of that metaschema.

    Raises:
        RecursionError: It is nested too deeply.
    """
    return _Walk(dialect).fault(schema)


class _Walk:
    """Goes through a schema and everything that it refers to."""

    def __init__(self, dialect: str) -> None:
        from referencing.jsonschema import specification_with

        self._specification = specification_with(dialect)
        self._seen: set[int] = set()
        self._unevaluated = False
        self._ecma_names: list[str] = []
        self._targets: dict[int, list[Any]] = {}  # of a schema: those that apply to the same value

    def fault(self, schema: dict[str, Any]) -> str:
        from jsonschema_specifications import REGISTRY

        resource: SchemaResource = self._specification.create_resource(schema)
        registry = REGISTRY.with_resource(resource.id() or "", resource)
        try:
            registry = registry.crawl()
        except Exception as error:  # anchors and identifiers of any form are accepted by the metaschema
            return f"its identifiers cannot be read: {type(error).__name__}: {str(error)[:200]}"
        resolver = registry.resolver(resource.id() or "")
        said = self._visit(resource, resolver) or self._loop(schema)
        if not said and self._unevaluated and self._ecma_names:
            name = self._ecma_names[0][:200]
            return f"the pattern {name!r} is not one of Python's re module, as unevaluatedProperties needs"
        return said

    def _visit(self, resource: SchemaResource, resolver: Any) -> str:  # noqa: ANN401 - its type is private
        from referencing import Resource
        from referencing.exceptions import Unresolvable

        schema = resource.contents
        if not isinstance(schema, dict) or id(schema) in self._seen:
            return ""
        self._seen.add(id(schema))
        if said := next(filter(None, map(_pattern_fault, _patterns(schema))), ""):
            return said
        self._unevaluated |= "unevaluatedProperties" in schema
        self._ecma_names += (one for one in schema.get("patternProperties", ()) if not is_python_pattern(one))
        targets = list(_in_place(schema))
        for keyword in _REFERENCES:
            if not isinstance(schema.get(keyword), str):
                continue
            try:
                found = resolver.lookup(schema[keyword])
            except (Unresolvable, ValueError):
                named = schema[keyword][:200]
                return f"the reference {named!r} leads to nothing in the schema, and nothing is fetched"
            targets.append(found.contents)
            inner = Resource.from_contents(found.contents, default_specification=self._specification)
            if said := self._visit(inner, found.resolver):
                return said
        self._targets[id(schema)] = targets
        for inner in resource.subresources():
            if said := self._visit(inner, resolver.in_subresource(inner)):
                return said
        return ""

    def _loop(self, schema: dict[str, Any]) -> str:
        """Return whether a schema applies to a value only if it applies to the same value."""
        done: set[int] = set()
        for start in self._targets:
            open_ids: set[int] = set()
            stack: list[tuple[int, Iterator[Any]]] = [(start, iter(self._targets[start]))]
            open_ids.add(start)
            while stack:
                node, targets = stack[-1]
                target = next(targets, None)
                if target is None:
                    stack.pop()
                    open_ids.discard(node)
                    done.add(node)
                    continue
                key = id(target)
                if key in open_ids:
                    return "a reference leads back to itself without an object or a list between"
                if key in self._targets and key not in done:
                    open_ids.add(key)
                    stack.append((key, iter(self._targets[key])))
        return ""


def _in_place(schema: dict[str, Any]) -> Iterator[Any]:
    for keyword in _IN_PLACE_LISTS:
        if isinstance(schema.get(keyword), list):
            yield from schema[keyword]
    yield from (schema[keyword] for keyword in _IN_PLACE if keyword in schema)
    for keyword in _IN_PLACE_MAPS:
        if isinstance(schema.get(keyword), dict):
            yield from schema[keyword].values()


def _patterns(schema: dict[str, Any]) -> Iterator[str]:
    if isinstance(schema.get("pattern"), str):
        yield schema["pattern"]
    if isinstance(schema.get("patternProperties"), dict):
        yield from schema["patternProperties"]


def _pattern_fault(pattern: str) -> str:
    try:
        require_pattern(pattern)
    except PatternError as error:
        return f"the pattern {error}"
    return ""
