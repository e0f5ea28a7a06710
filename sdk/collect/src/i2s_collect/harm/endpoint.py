"""Judges behind an HTTP address that the user names."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from i2s_collect.web.errors import SourceStoppedError
from i2s_sdk.errors import UsageError
from i2s_sdk.json_text import read_json
from i2s_wire.installation import install_command

if TYPE_CHECKING:
    import httpx

#: Seconds for one request.
TIMEOUT = 60.0

#: Bytes of an answer, at most.
MOST_BYTES = 65_536

#: Characters of a text, at most; the rest is sent in further requests, and the greatest value counts.
MOST_CHARACTERS = 20_000

#: Values above these are left out.
TEXT_LIMIT, PICTURE_LIMIT = 0.5, 0.3

#: The environment variable with the token that judges are sent.
TOKEN_VARIABLE = "I2S_JUDGE_TOKEN"  # noqa: S105 - a name

_ADDRESS = re.compile(
    r"(?P<name>[A-Za-z0-9][A-Za-z0-9._/-]{0,99})@(?P<version>[A-Za-z0-9._-]{1,50})=(?P<url>https?://[^\s]{1,500})"
)


@dataclass(frozen=True, slots=True)
class JudgeAddress:
    """Where a judge is asked, and which model is behind the address.

    Attributes:
        name: Name of the model, for the record.
        version: Version of the model, for the record.
        url: URL to which requests are sent.
        limit: Greater values are left out.
    """

    name: str
    version: str
    url: str
    limit: float

    @classmethod
    def parse(cls, text: str, limit: float) -> Self:
        """Return the address that a text such as "my-model@2=http://127.0.0.1:8000/judge" names.

        Raises:
            UsageError: It names none.
        """
        found = _ADDRESS.fullmatch(text)
        if found is None:
            raise UsageError(f"{text!r} is no judge, such as my-model@2=http://127.0.0.1:8000/judge")
        return cls(found["name"], found["version"], found["url"], limit)

    def open(self, environment: Mapping[str, str]) -> EndpointJudge:
        """Return the judge; the token is that of the environment variable ``TOKEN_VARIABLE``."""
        token = environment.get(TOKEN_VARIABLE, "").strip()
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return EndpointJudge(self.url, self.name, self.version, limit=self.limit, headers=headers)


class EndpointJudge:
    """Implements ``TextJudge`` and, by ``EndpointPictureJudge``, ``PictureJudge``.

    A text is sent as ``POST`` with the JSON object ``{"text": "…"}``. The answer has status 200 and is a JSON
    object with a number ``score`` from 0 to 1. Anything else ends the collection, so that nothing passes
    because a judge failed.

    Args:
        url: URL to which requests are sent.
        name: Name of the model behind it, for the record.
        version: The same.
        limit: Greater values are left out.
        headers: Headers of requests, such as those of a key; they are stored nowhere.
        timeout: Seconds for one request.
        client: The client to use in place of one of its own.

    Raises:
        UsageError: The extra ``collect`` is not installed.
    """

    def __init__(
        self,
        url: str,
        name: str,
        version: str,
        *,
        limit: float = TEXT_LIMIT,
        headers: Mapping[str, str] | None = None,
        timeout: float = TIMEOUT,
        client: httpx.Client | None = None,
    ) -> None:
        self.name, self.version, self.limit = name, version, limit
        self._url, self._headers = url, dict(headers or {})
        if client is None:
            try:
                import httpx
            except ImportError:
                raise UsageError(
                    f"collecting needs the extra `collect`: {install_command('i2s-sdk[collect]')}"
                ) from None
            client = httpx.Client(timeout=timeout, follow_redirects=False)
        self._client = client

    def judge(self, text: str) -> float:
        """Return the greatest value of the parts of a text, from 0 to 1; 0 for an empty text.

        Raises:
            SourceStoppedError: The address does not answer as it should.
        """
        parts = [text[at : at + MOST_CHARACTERS] for at in range(0, len(text), MOST_CHARACTERS)]
        return max((self.asked({"text": part}) for part in parts), default=0.0)

    def asked(self, question: Mapping[str, str]) -> float:
        """Return the value that the address has for an object.

        Raises:
            SourceStoppedError: The address does not answer as it should.
        """
        import httpx

        content = json.dumps(question).encode()
        headers = {**self._headers, "content-type": "application/json"}
        try:
            with self._client.stream("POST", self._url, content=content, headers=headers) as answer:
                body = bytearray()
                for part in answer.iter_bytes():
                    body += part
                    if len(body) > MOST_BYTES:
                        break
                status = answer.status_code
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise SourceStoppedError(f"{self._url}: no answer of {self.name}: {error}") from None
        score = _score(bytes(body)) if status == 200 else None
        if score is None:
            raise SourceStoppedError(
                f'{self._url}: {self.name} answered with status {status}, not with 200 and {{"score": 0…1}}'
            )
        return score


class EndpointPictureJudge:
    """Implements ``PictureJudge``: an ``EndpointJudge`` that is sent ``{"png": "…"}``, in base64.

    Args:
        endpoint: Its name and version are those of the judge.
        limit: Greater values are left out.
    """

    def __init__(self, endpoint: EndpointJudge, limit: float = PICTURE_LIMIT) -> None:
        self.name, self.version, self.limit = endpoint.name, endpoint.version, limit
        self._endpoint = endpoint

    def judge(self, png: bytes) -> float:
        """Return the value of a picture, from 0 to 1.

        Raises:
            SourceStoppedError: The address does not answer as it should.
        """
        return self._endpoint.asked({"png": base64.b64encode(png).decode()})


def _score(body: bytes) -> float | None:
    try:
        answer: Any = read_json(body)
    except ValueError:
        return None
    score = answer.get("score") if isinstance(answer, dict) else None
    if isinstance(score, bool) or not isinstance(score, int | float) or not 0 <= score <= 1:
        return None
    return float(score)
