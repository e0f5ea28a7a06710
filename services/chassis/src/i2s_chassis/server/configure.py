"""One typed settings object per process: option > environment > configuration file > default.

A setting is defined once, as a field. From it follow its option (``--limit-cpu-seconds``), its
environment variable (``I2S_DOCUMENTS_LIMIT_CPU_SECONDS``) and its place in the TOML file
(``[limit] cpu_seconds``).
"""

from __future__ import annotations

import dataclasses
import inspect
import os
import re
import tomllib
import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

from pydantic import ByteSize, Field, TypeAdapter, ValidationError, model_validator
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails
from pydantic_settings import (
    BaseSettings,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from i2s_chassis.errors import ServiceSettingsError

#: What a source of settings may hold: text from outside, TOML values, and tables of them.
Raw = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Leaf:
    """One value that can be set."""

    #: Name of the field, and of the field in its table if it is in one.
    path: tuple[str, ...]
    #: Its type, without ``None``.
    kind: object
    #: What holds if nothing sets it.
    default: object
    #: Its description for people.
    description: str
    #: Its environment variable.
    variable: str

    @property
    def option(self) -> str:
        """Its option on the command line."""
        return "--" + "-".join(self.path).replace("_", "-")

    @property
    def many(self) -> bool:
        """Whether it is a tuple: option given several times, environment separated by commas."""
        return typing.get_origin(self.kind) is tuple


class CommandSettings(BaseSettings):
    """Base of all settings. A subclass names its service and adds fields with descriptions."""

    model_config = SettingsConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    service: ClassVar[str]

    config: Path | None = Field(None, description="TOML file with settings.")

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: object) -> None:
        """Refuse two settings with one name, such as ``max_pages`` beside ``pages`` in the table ``max``."""
        names = ["_".join(leaf.path) for leaf in cls.leaves()] if hasattr(cls, "service") else []
        if twice := {name for name in names if names.count(name) > 1}:
            raise TypeError(
                f"{cls.__name__}: two settings would have the option and variable of {min(twice)}"
            )

    @classmethod
    def class_defaults(cls) -> Raw:
        """Return defaults that depend on the class, by field."""
        return {}

    @classmethod
    def leaves(cls) -> Iterator[Leaf]:
        """Every value that can be set, tables resolved."""
        prefix = f"i2s_{cls.service}_".replace("-", "_").upper()
        for name, field in cls.model_fields.items():
            default = cls.class_defaults().get(name, field.get_default(call_default_factory=True))
            table = _table_of(field)
            if table is None:
                kind = _without_none(field.annotation)
                yield Leaf((name,), kind, default, field.description or "", prefix + name.upper())
                continue
            kinds, texts = typing.get_type_hints(table), _attribute_docs(table)
            for inner in dataclasses.fields(table):
                variable = f"{prefix}{name}_{inner.name}".upper()
                text = f"{field.description} {texts.get(inner.name, '')}".strip()
                kind = _without_none(kinds[inner.name])
                yield Leaf((name, inner.name), kind, getattr(default, inner.name), text, variable)

    @classmethod
    def load(cls, options: Raw) -> Self:
        """Read all sources.

        Args:
            options: Values from the command line, by field; tables as dictionaries.

        Raises:
            ServiceSettingsError: A value is wrong or unknown; one line that names it.
        """
        try:
            return cls(**options)
        except ValidationError as error:
            raise ServiceSettingsError(_describe(error, cls)) from None

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Order the sources, strongest first; called by pydantic-settings."""
        environment = _from_environment(cls)
        sources = [init_settings, InitSettingsSource(cls, environment)]
        options = init_settings() if isinstance(init_settings, InitSettingsSource) else {}
        if file := options.get("config") or environment.get("config"):
            sources.append(_from_file(cls, Path(file)))
        return tuple(sources)

    @model_validator(mode="before")
    @classmethod
    def _fill(cls, data: Raw) -> Raw:
        """Complete what is set with the defaults of the class and of each table."""
        filled = {**cls.class_defaults(), **data}
        for name, field in cls.model_fields.items():
            table, value = _table_of(field), filled.get(name)
            if table is not None and isinstance(value, dict):
                default = field.get_default(call_default_factory=True)
                filled[name] = _complete(name, default, value)
        return filled


def _complete(name: str, default: object, value: Mapping[str, object]) -> Raw:
    known = {field.name: getattr(default, field.name) for field in dataclasses.fields(default)}  # type: ignore[arg-type]
    if unknown := sorted(value.keys() - known.keys()):
        raise ValueError(f'[{name}] has no setting "{unknown[0]}"; it has {", ".join(known)}')
    return {**known, **{key: _sized(name, key, entry) for key, entry in value.items()}}


def _sized(table: str, name: str, value: object) -> object:
    """Return the value; a number of bytes if a size was written, such as "512MiB"."""
    if not name.endswith("_bytes"):
        return value
    try:
        return int(TypeAdapter(ByteSize).validate_python(value))
    except ValidationError:
        raise ValueError(
            f'[{table}] {name}: "{value}" is no size; write a number or such as 512MiB'
        ) from None


def _from_environment(cls: type[CommandSettings]) -> Raw:
    """Only known variables count: Kubernetes sets others with the same prefix for each Service."""
    values: Raw = {}
    for leaf in cls.leaves():
        text = os.environ.get(leaf.variable)
        if text:
            place(values, leaf, text.split(",") if leaf.many else text)
    return values


def _from_file(cls: type[CommandSettings], file: Path) -> PydanticBaseSettingsSource:
    if not file.is_file():
        raise ServiceSettingsError(f"--config {file}: there is no such file")
    try:
        return TomlConfigSettingsSource(cls, file)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ServiceSettingsError(f"--config {file}: not valid TOML: {error}") from None
    except OSError as error:
        raise ServiceSettingsError(f"--config {file}: cannot be read: {error.strerror}") from None


def place(target: Raw, leaf: Leaf, value: object) -> None:
    """Put a value where its path says."""
    for part in leaf.path[:-1]:
        target = target.setdefault(part, {})
    target[leaf.path[-1]] = value


def _table_of(field: FieldInfo) -> type | None:
    kind = field.annotation
    return kind if isinstance(kind, type) and dataclasses.is_dataclass(kind) else None


def _without_none(kind: object) -> object:
    arguments = [argument for argument in typing.get_args(kind) if argument is not type(None)]
    is_optional = type(None) in typing.get_args(kind) and len(arguments) == 1
    return arguments[0] if is_optional else kind


def _attribute_docs(table: type) -> dict[str, str]:
    """Return the descriptions in the Attributes section of a docstring, by name."""
    _, _, section = (inspect.getdoc(table) or "").partition("Attributes:\n")
    entries = re.findall(r"^ {4}(\w+): (.*(?:\n {8}.*)*)", section, re.MULTILINE)
    return {name: " ".join(text.split()) for name, text in entries}


def _describe(error: ValidationError, cls: type[CommandSettings]) -> str:
    """Return the first problem as one line that names option and variable."""
    first: ErrorDetails = error.errors(include_url=False)[0]
    reason = first["msg"].removeprefix("Value error, ").removeprefix("Assertion failed, ")
    path = tuple(str(part) for part in first["loc"])
    for leaf in cls.leaves():
        if path[: len(leaf.path)] == leaf.path:
            return f"{leaf.option} ({leaf.variable}): {reason[0].lower()}{reason[1:]}"
    if first["type"] == "extra_forbidden":
        return f'the configuration file has an unknown setting "{path[0]}"; see --help for those there are'
    return f"{'.'.join(path)}: {reason}" if path else reason
