"""The description of episodes: OpenAPI of their requests and answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from i2s_gateway.operations import PREFIX
from i2s_gateway.reward_description import REWARD_SCHEMAS, Schema
from i2s_training.episode import DEFAULT_TURNS, MOST_TURNS

EPISODES_PATH = f"{PREFIX}/episodes"

#: Fields of a request for an episode that are those of an item and of a batch of rewards, and its own.
ITEM_FIELDS = ("task", "reference", "structure", "target", "inputs", "assets", "floor", "ceiling")
BATCH_FIELDS = ("weights", "failed", "normalize", "clip", "deadline_seconds")
OWN_FIELDS = ("turns", "final")

#: Bodies for documentation. "base64:FILE" stands for the content of a file.
OPENING_EXAMPLE: Mapping[str, object] = {
    "task": "latex",
    "reference": {"image": "base64:reference.png"},
    "turns": DEFAULT_TURNS,
}

#: What an episode is for.
SUMMARY = "Begin an episode: a question, whose answers are rendered, shown and may be corrected."

_TEXT: Schema = {"type": "string"}
_FLAG: Schema = {"type": "boolean"}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_NUMBER_OR_NULL: Schema = {"type": ["number", "null"]}
_PNG_OR_NULL: Schema = {"type": ["string", "null"], "contentEncoding": "base64"}
_MESSAGES: Schema = {
    "type": "array",
    "items": {"type": "object"},
    "description": "Messages as chat completions have them; images are data: URLs.",
}
_BATCH: Schema = REWARD_SCHEMAS["RewardBatch"]["properties"]
_ITEM: Schema = _BATCH["items"]["items"]["properties"]

_STATE: Schema = {
    "id": {"type": "string", "description": "Name of the episode; nobody else can use it."},
    "expires": {"type": "string", "format": "date-time", "description": "When it is gone; a step renews it."},
    "turn": {**_COUNT, "description": "Answers that were judged."},
    "turns": {**_COUNT, "description": "The most answers."},
    "done": {**_FLAG, "description": "Whether it takes no more answers."},
    "reward": {
        "type": "object",
        "description": "The reward of the episode so far; no value if its last answer was not judged.",
        "properties": {
            "value": _NUMBER_OR_NULL,
            "valid": _FLAG,
            "reason": _TEXT,
            "turns": {"type": "array", "items": {"type": "number"}},
        },
        "required": ["value", "valid", "reason", "turns"],
    },
}
_OBSERVATION: Schema = {
    "type": "object",
    "properties": {
        "verdict": _TEXT,
        "rendering": _PNG_OR_NULL,
        "difference": _PNG_OR_NULL,
        "error": {
            "type": ["object", "null"],
            "properties": {"message": _TEXT, "line": _COUNT},
            "description": "The first error, and its line in the answer; 0 if that is not known.",
        },
        "messages": _MESSAGES,
    },
}
_STEP: Schema = {
    "type": "object",
    "description": "The reward of this answer; no value and no turn used if a service failed.",
    "properties": {
        "value": _NUMBER_OR_NULL,
        "valid": _FLAG,
        "reason": _TEXT,
        "judged": {"anyOf": [{"$ref": "#/components/schemas/RewardAnswer"}, {"type": "null"}]},
    },
}


def _object(properties: Schema, *required: str) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": [*required],
        "additionalProperties": False,
    }


#: Schemas by name.
EPISODE_SCHEMAS: Mapping[str, Schema] = {
    "EpisodeOpening": _object(
        {
            **{name: _ITEM[name] for name in ITEM_FIELDS},
            **{name: _BATCH[name] for name in BATCH_FIELDS},
            "turns": {
                "type": ["integer", "null"],
                "minimum": 1,
                "maximum": MOST_TURNS,
                "description": f"The most answers; {DEFAULT_TURNS} by default.",
            },
            "final": {
                "enum": ["last", "best", None],
                "description": "Which answer gives the reward; the last one by default.",
            },
        }
    ),
    "EpisodeState": _object(_STATE, *_STATE),
    "EpisodeQuestion": _object(
        {**_STATE, "messages": _MESSAGES, "image": _PNG_OR_NULL}, *_STATE, "messages", "image"
    ),
    "EpisodeAnswer": _object({"completion": _TEXT}, "completion"),
    "EpisodeStep": _object(
        {**_STATE, "observation": _OBSERVATION, "step": _STEP}, *_STATE, "observation", "step"
    ),
}


def episode_paths(errors: Mapping[str, Any]) -> dict[str, Any]:
    """Return the paths of episodes.

    Args:
        errors: Responses by status that every request may have.
    """
    name = {"name": "id", "in": "path", "required": True, "schema": _TEXT}
    busy = {**errors["400"], "description": "A step is under way, or the episode is over."}
    described = {**errors, "409": busy}
    body = {"schema": _ref("EpisodeOpening"), "example": OPENING_EXAMPLE}
    begin = {
        "operationId": "begin-episode",
        "summary": SUMMARY,
        "requestBody": {"required": True, "content": {"application/json": body}},
        "responses": {"201": _answer("EpisodeQuestion"), **errors},
    }
    step = {
        "operationId": "step-episode",
        "summary": "Judge an answer of an episode, and show what became of it.",
        "description": "An answer that a service failed to judge uses no turn: send it again.",
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": _ref("EpisodeAnswer")}},
        },
        "responses": {"200": _answer("EpisodeStep"), **described},
    }
    show = {
        "operationId": "show-episode",
        "summary": "Say how an episode stands.",
        "responses": {"200": _answer("EpisodeState"), **errors},
    }
    end = {
        "operationId": "end-episode",
        "summary": "Forget an episode.",
        "responses": {"204": {"description": "It is gone."}, **described},
    }
    one = f"{EPISODES_PATH}/{{id}}"
    return {
        EPISODES_PATH: {"post": begin},
        f"{one}/step": {"parameters": [name], "post": step},
        one: {"parameters": [name], "get": show, "delete": end},
    }


def _ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def _answer(name: str) -> dict[str, Any]:
    return {"description": "The answer.", "content": {"application/json": {"schema": _ref(name)}}}
