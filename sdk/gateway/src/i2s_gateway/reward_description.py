"""The description of rewards: OpenAPI of their requests and answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from i2s_gateway.operations import PREFIX
from i2s_training.gates import Gate

REWARD_PATH, REFERENCES_PATH = f"{PREFIX}/reward", f"{PREFIX}/references"

#: The answer of a caller that wants items as they are done.
LINES = "application/x-ndjson"

Schema = dict[str, Any]

_TEXT: Schema = {"type": "string"}
_NUMBER: Schema = {"type": "number"}
_BASE64: Schema = {"type": "string", "contentEncoding": "base64"}


@dataclass(frozen=True, slots=True)
class RewardRequest:
    """A request of rewards, as it is described."""

    path: str
    summary: str
    about: str
    #: A body. "base64:FILE" stands for the content of a file.
    example: Mapping[str, object]
    #: Names of the schemas of the body and of the answer.
    body: str
    answer: str


REWARD_REQUESTS = (
    RewardRequest(
        REWARD_PATH,
        "Give each answer of a batch its reward, or the reason why it has none.",
        "Answers are read, rendered with repairs and compared as in a run. What a model did is a value; a "
        "failure of a service or a fault of the data is never a number but valid=false, with its reason. "
        f"With Accept: {LINES} each answer is a line as soon as it is done; the last line has the totals.",
        {
            "items": [
                {"id": "a", "completion": r"\[ x^2 \]", "reference": {"image": "base64:reference.png"}},
                {"id": "b", "completion": r"\[ x^3 \]", "reference": {"image": "base64:reference.png"}},
            ],
            "weights": {"ems": 1.0},
            "group": True,
        },
        "RewardBatch",
        "RewardAnswers",
    ),
    RewardRequest(
        REFERENCES_PATH,
        "Keep reference images, which batches then name by their digests.",
        "They are kept for the caller alone, as far as the memory goes. A batch that names one which is not "
        "there (any more) has status 409, and error.missing has the digests to be sent again.",
        {"references": [{"image": "base64:reference.png"}]},
        "References",
        "Digests",
    ),
)


def _object(properties: Schema, *required: str, about: str = "") -> Schema:
    described = {"description": about} if about else {}
    return {
        "type": "object",
        **described,
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def _about(schema: Schema, text: str) -> Schema:
    return {**schema, "description": text}


def _or_null(schema: Schema) -> Schema:
    kind = schema["type"]
    return {**schema, "type": [kind, "null"]}


def _list_of(schema: Schema) -> Schema:
    return {"type": "array", "items": schema}


_ITEM = _object(
    {
        "id": _about(_or_null(_TEXT), "Name of the caller for it, which the answer repeats."),
        "completion": _about(_or_null(_TEXT), "What the model said, verbatim; or messages."),
        "messages": _about(
            {"type": ["array", "null"], "items": {"type": "object"}},
            "Messages, of which the last one counts.",
        ),
        "finish": _about(_or_null(_TEXT), '"length" if the completion was cut off.'),
        "task": _about(_or_null(_TEXT), "Name of the task; latex by default, or that of the instance."),
        "reference": _about(
            {
                "type": ["object", "null"],
                "properties": {"image": _BASE64, "instance": _TEXT, "digest": _TEXT},
                "maxProperties": 1,
                "additionalProperties": False,
            },
            "What the rendering is compared with: an image, an instance of the data of the gateway, or the "
            f"digest of an image that was sent to {REFERENCES_PATH}.",
        ),
        "structure": _about(_or_null(_TEXT), "Ground truth as text, for metrics that compare with it."),
        "target": {"description": "Ground truth of a task without images, as its data sets have it."},
        "inputs": _about({"type": ["object", "null"]}, "Inputs of such a task."),
        "assets": _about(
            {"type": ["object", "null"], "additionalProperties": _BASE64}, "Files that the answer may use."
        ),
        "floor": _about(_or_null(_NUMBER), "Value of an answer that looks at nothing."),
        "ceiling": _about(_or_null(_NUMBER), "The largest value that can be reached."),
        "group": _about(_or_null(_TEXT), "Name of its group, in place of its reference."),
    }
)

_BATCH = _object(
    {
        "items": {**_list_of(_ITEM), "minItems": 1},
        "weights": _about(
            {"type": ["object", "null"], "additionalProperties": _NUMBER},
            "Weights of metrics; none takes the main metric of each task.",
        ),
        "failed": _about(_or_null(_NUMBER), "Value of an answer without image, before the floor."),
        "normalize": {"type": ["boolean", "null"], "description": "Divide by ceiling minus floor."},
        "clip": {"type": ["boolean", "null"], "description": "Nothing is below the least of its kind."},
        "metrics": _about({"type": ["array", "null"], "items": _TEXT}, "Further metrics to compute."),
        "group": {"type": ["boolean", "null"], "description": "Rank answers within their groups."},
        "deadline_seconds": _about(_or_null(_NUMBER), "What is not done by then is not valid."),
    },
    "items",
)

_GATE = _object(
    {
        "name": {"type": "string", "enum": [str(gate) for gate in Gate]},
        "detail": _TEXT,
        "lowers": {"type": "boolean", "description": "Whether the answer earns no more than a blank one."},
    },
    *("name", "detail", "lowers"),
)

_REASON = {
    **_object(
        {
            "fault": {"type": "string", "enum": ["infrastructure", "data"]},
            "kind": _about(_TEXT, 'Such as "unavailable", "deadline", "service_fault", "undefined".'),
            "message": _TEXT,
        },
        *("fault", "kind", "message"),
    ),
    "type": ["object", "null"],
    "description": "Why there is no value; null if there is one.",
}

_PLACE = {
    "rank": _about(_NUMBER, "1 for the largest value of the group; equal values share the mean."),
    "size": {"type": "integer", "description": "Valid answers of the group."},
    "centred": _about(_NUMBER, "The value less the mean of the group."),
}

_ANSWER = _object(
    {
        "index": {"type": "integer", "description": "Number of the item in the batch, from 0."},
        "id": _or_null(_TEXT),
        "value": _about(_or_null(_NUMBER), "The reward; null if the answer is not valid."),
        "valid": {"type": "boolean", "description": "Whether the value says something of the answer."},
        "reason": _REASON,
        "outcome": _or_null(_TEXT),
        "verdict": _about(_or_null(_TEXT), "Verdict of the last render; null if nothing was rendered."),
        "message": _TEXT,
        "first_error": {
            **_object(
                {
                    "message": _TEXT,
                    "kind": _TEXT,
                    "line": {"type": "integer"},
                    "answer_line": {"type": "integer"},
                }
            ),
            "type": ["object", "null"],
        },
        "parts": _object(
            {
                "metrics": {"type": "object", "additionalProperties": _or_null(_NUMBER)},
                "gates": _list_of(_GATE),
                "floor": _NUMBER,
                "ceiling": _NUMBER,
                "support": _or_null(_NUMBER),
            }
        ),
        "repairs": _list_of(_object({"kind": _TEXT, "detail": _TEXT, "error": _TEXT})),
        "usage": {
            **_object(
                {
                    "renders": {"type": "integer"},
                    "cpu_seconds": _NUMBER,
                    "wall_seconds": _NUMBER,
                    "queued_seconds": _NUMBER,
                }
            ),
            "type": ["object", "null"],
        },
        "group": {**_object(_PLACE), "type": ["object", "null"]},
    },
    *("index", "value", "valid", "reason", "parts"),
)

_TOTALS = _object(
    {
        "items": {"type": "integer"},
        "valid": {"type": "integer"},
        "invalid": {"type": "integer"},
        "unique_rendered": {"type": "integer", "description": "Answers that were judged by themselves."},
        "seconds": _NUMBER,
    }
)

#: Schemas by name.
REWARD_SCHEMAS: Mapping[str, Schema] = {
    "RewardBatch": _BATCH,
    "RewardAnswer": _ANSWER,
    "RewardAnswers": _object({"items": _list_of(_ANSWER), "totals": _TOTALS}, "items", "totals"),
    "RewardTotals": _object(
        {
            "totals": _TOTALS,
            "groups": _list_of(_object({"index": {"type": "integer"}, **_PLACE})),
        },
        "totals",
    ),
    "References": _object(
        {"references": {**_list_of(_object({"image": _BASE64}, "image")), "minItems": 1}}, "references"
    ),
    "Digests": _object({"digests": _list_of(_TEXT)}, "digests"),
}
