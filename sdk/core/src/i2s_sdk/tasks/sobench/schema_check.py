"""Whether an answer is valid under a JSON Schema, and what is wrong with a schema.

Nothing is ever fetched: a reference that leads out of the schema, other than to the metaschemas of JSON
Schema, cannot be resolved. Formats are not checked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from i2s_sdk.tasks.sobench.paper_validator import paper_validator, require_schema
from i2s_sdk.tasks.sobench.schema_references import reference_fault
from i2s_wire.metrics.profile import Profile

if TYPE_CHECKING:  # importing it takes a tenth of a second
    from jsonschema.protocols import Validator


def follows_schema(answer: Any, schema: Any, profile: Profile = Profile.PAPER) -> bool:  # noqa: ANN401 - JSON
    """Return whether a value is valid under a schema, by the draft that ``$schema`` names, else 2020-12.

    As in the released code it is not valid if the validator raises anything: a schema that is none, a
    reference that cannot be resolved or leads back to itself, a pattern that is none, or nesting that is too
    deep for the validator. In profile ``helm`` patterns are those of Python's re module, and numbers are
    divided in binary; in profile ``paper`` patterns are those of ECMA 262, and decimal numbers are multiples
    as they are written.
    """
    from jsonschema_specifications import REGISTRY

    try:
        validator = _class_of(schema)
        if profile is Profile.PAPER:
            require_schema(schema, validator)
            validator = paper_validator(validator)
            if isinstance(schema, dict):
                # By its name jsonschema would find its own validator again, wherever a reference leads here.
                schema = {key: value for key, value in schema.items() if key != "$schema"}
        else:
            validator.check_schema(schema)
        # The registry has the metaschemas alone; the default one of jsonschema fetches what it does not have.
        return bool(validator(schema, registry=REGISTRY).is_valid(answer))
    except MemoryError:
        raise
    except Exception:
        return False


def schema_fault(schema: Any) -> str:  # noqa: ANN401 - JSON values
    """Return why a schema cannot be used in profile ``paper``, empty for nothing."""
    from jsonschema.exceptions import SchemaError

    if isinstance(schema, bool):
        return ""
    if not isinstance(schema, dict):
        return f"a JSON Schema is an object or a boolean, not {type(schema).__name__}"
    try:
        validator = _class_of(schema)
        require_schema(schema, validator)
        return reference_fault(schema, validator.META_SCHEMA["$schema"])
    except SchemaError as error:
        where = "/".join(("#", *map(str, error.absolute_path)))
        return f"{where[:200]}: {error.message[:300]}"
    except RecursionError:
        return "it is nested too deeply"
    except Exception as error:  # patterns and identifiers can hold what the validator's libraries refuse
        return f"the validator refuses it: {type(error).__name__}: {str(error)[:200]}"


def _class_of(schema: Any) -> type[Validator]:  # noqa: ANN401
    """Return the validator of the draft that a schema names."""
    from jsonschema.validators import Draft202012Validator, validator_for

    named = schema.get("$schema") if isinstance(schema, dict) else None
    found: type[Validator] = (
        validator_for(schema, default=Draft202012Validator)
        if isinstance(named, str)
        else Draft202012Validator
    )
    return found
