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
import json
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import Any

#: Statuses after which the same request may be answered.
AGAIN = (429, 502, 503, 504)


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
        end = time.monotonic() + self._seconds
        while True:
            left = end - time.monotonic()
            batch = {"items": items, "deadline_seconds": max(1.0, left - 5.0), **self._options}
            try:
                found: list[dict[str, Any]] = self._post("/v1/reward", batch, left)["items"]
                return found
            except urllib.error.HTTPError as error:
                said = json.loads(error.read())["error"]
                if error.code == 409:  # any replica may ask for references that it has not seen
                    for name in said["missing"]:
                        one = {"image": base64.b64encode(files[name]).decode()}
                        self._post("/v1/references", {"references": [one]}, left)
                elif error.code in AGAIN and left > 0:
                    time.sleep(min(left, said.get("retry_after_seconds", 1.0)))
                else:
                    raise RuntimeError(f"{self._url}: {error.code} {said['message']}") from None
            except urllib.error.URLError as error:
                if left <= 0:
                    raise RuntimeError(f"{self._url}: {error.reason}") from None
                time.sleep(min(left, 1.0))

    def _post(self, path: str, body: object, seconds: float) -> dict[str, Any]:
        headers = {"Content-Type": "application/json"}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        request = urllib.request.Request(  # noqa: S310 - the caller names the URL
            self._url + path, json.dumps(body).encode(), headers
        )
        with urllib.request.urlopen(request, timeout=max(1.0, seconds)) as answer:  # noqa: S310
            found: dict[str, Any] = json.load(answer)
            return found


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
