"""A reward function for training that asks an HTTP gateway, to be copied: it needs Python alone.

    i2s-sdk up --http                  # on the machine that renders
    python examples/integrations/http_reward.py http://127.0.0.1:7780 reference.png '$x^2$' '$x^3$'

TRL takes an object of HttpReward as one of its reward_funcs: the data set has a column "image" of paths or
encoded images. An answer that a failure of a service kept from a reward has None, which TRL leaves out of the
mean of its group. With a framework that wants numbers, use ``masked`` and multiply advantages by the mask.
"""

from __future__ import annotations

import base64
import hashlib
import http.client
import json
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

#: Status of an answer, of a batch whose references are not there, and of none.
DONE, MISSING, NO_ANSWER = 200, 409, 0
#: Statuses after which the same request may be answered.
AGAIN = (NO_ANSWER, 429, 502, 503, 504)
#: How often references are sent without a pause, as each replica may ask for them.
REPLICAS = 4


class HttpReward:
    """A reward function as TRL has them: ``reward(prompts, completions, **columns) -> list[float | None]``.

    Args:
        url: The gateway, such as "http://127.0.0.1:7780".
        token: Token of the services behind it, if they ask for one.
        seconds: Time for a batch, with all attempts.
        options: Further fields of a batch, such as ``weights``, ``normalize``, ``clip``, ``group``.
    """

    __name__ = "http_reward"

    def __init__(
        self,
        url: str,
        token: str = "",
        seconds: float = 900.0,
        **options: Any,  # noqa: ANN401 - what JSON can say
    ) -> None:
        self._url, self._token, self._seconds, self._options = url.rstrip("/"), token, seconds, options

    def __call__(
        self,
        prompts: Sequence[Any] | None = None,
        completions: Sequence[Any] = (),
        **columns: Any,  # noqa: ANN401 - whatever columns the data set has
    ) -> list[float | None]:
        """Return the reward of each completion; None for one that nobody could judge."""
        return [one["value"] if one["valid"] else None for one in self.judged(completions, **columns)]

    def masked(
        self,
        completions: Sequence[Any],
        **columns: Any,  # noqa: ANN401
    ) -> tuple[list[float], list[float]]:
        """Return rewards, 0.0 where there is none, and a mask that is 0.0 there and 1.0 elsewhere."""
        found = self.judged(completions, **columns)
        values = [one["value"] if one["valid"] else 0.0 for one in found]
        return values, [float(one["valid"]) for one in found]

    def judged(
        self,
        completions: Sequence[Any],
        image: Sequence[str | bytes],
        **columns: Any,  # noqa: ANN401
    ) -> list[dict[str, Any]]:
        """Return what the gateway says of each completion.

        Args:
            completions: Texts or lists of messages.
            image: The image that each is compared with: its path, or its bytes.
            columns: Further fields of items, each a list of one value for each completion: ``structure``,
                ``task``, ``floor``, ``ceiling``, ``group``. Others are ignored.
        """
        files = {digest(content): content for content in map(content_of, image)}
        names = [digest(content_of(one)) for one in image]
        items = [
            {"completion" if isinstance(text, str) else "messages": text, "reference": {"digest": name}}
            for text, name in zip(completions, names, strict=True)
        ]
        for field in ("structure", "task", "floor", "ceiling", "group"):
            for item, value in zip(items, columns.get(field) or [], strict=False):
                item[field] = value
        end, attempts = time.monotonic() + self._seconds, 0
        while True:
            left = end - time.monotonic()
            batch = {"items": items, "deadline_seconds": max(1.0, left - 5.0), **self._options}
            status, said = self._post("/v1/reward", batch, left)
            if status == DONE:
                found: list[dict[str, Any]] = said["items"]
                return found
            pause = said.get("retry_after_seconds", 1.0)
            reason = f"{self._url}: {status or 'no answer'} {said['message']}"
            if status == MISSING and "missing" in said:  # a replica may ask for what another has seen
                status, said = self._upload(said["missing"], files, end)
                pause = 0.0 if attempts < REPLICAS else pause
                if status != DONE:
                    pause = said.get("retry_after_seconds", 1.0)
                    reason = f"{self._url}: {status or 'no answer'} {said['message']}"
            attempts, left = attempts + 1, end - time.monotonic()
            if status not in (DONE, *AGAIN) or left <= 0:
                raise RuntimeError(reason)
            time.sleep(min(left, pause))

    def _upload(
        self, missing: Sequence[str], files: Mapping[str, bytes], end: float
    ) -> tuple[int, dict[str, Any]]:
        """Send files by their digests; return what was said of the first that was not kept."""
        for name in missing:
            one = {"image": base64.b64encode(files[name]).decode()}
            status, said = self._post("/v1/references", {"references": [one]}, end - time.monotonic())
            if status != DONE:
                return status, said
        return DONE, {}

    def _post(self, path: str, body: object, seconds: float) -> tuple[int, dict[str, Any]]:
        """Return the status and what was said; the status NO_ANSWER if nothing was, or not to its end."""
        headers = {"Content-Type": "application/json"}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        request = urllib.request.Request(  # noqa: S310 - the caller names the URL
            self._url + path, json.dumps(body).encode(), headers
        )
        try:
            with urllib.request.urlopen(request, timeout=max(1.0, seconds)) as answer:  # noqa: S310
                return DONE, {**json.load(answer)}
        except urllib.error.HTTPError as error:
            return error.code, refusal(error)
        except (OSError, http.client.HTTPException, ValueError, TypeError) as error:
            return NO_ANSWER, {"message": str(error) or type(error).__name__}


def refusal(error: urllib.error.HTTPError) -> dict[str, Any]:
    """Return what an error says; proxies send HTML, or nothing."""
    try:
        said: dict[str, Any] = {"message": error.reason, **json.loads(error.read())["error"]}
    except (OSError, http.client.HTTPException, ValueError, TypeError, KeyError):
        return {"message": error.reason}
    return said


def content_of(image: str | bytes) -> bytes:
    """Return an encoded image: itself, or the file of a path."""
    return image if isinstance(image, bytes) else Path(image).read_bytes()


def digest(content: bytes) -> str:
    """Return the name of an image."""
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def main(url: str, image: str, *completions: str) -> None:
    """Print the reward of each completion."""
    for one in HttpReward(url, group=True).judged(completions, [image] * len(completions)):
        print(json.dumps(one))


if __name__ == "__main__":
    main(*sys.argv[1:])
