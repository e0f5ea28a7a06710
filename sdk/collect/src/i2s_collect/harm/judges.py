"""The judges of harmful texts and images, of profane words, and of data of persons."""

from __future__ import annotations

import base64
import hashlib
import importlib.util
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar

from i2s_collect.web.answer import SourceStoppedError
from i2s_sdk.errors import UsageError
from i2s_sdk.json_text import read_json

if TYPE_CHECKING:
    import httpx


C_contra = TypeVar("C_contra", contravariant=True)


class Judge(Protocol[C_contra]):
    """Tells how likely it is that readers should not be shown a text, or the PNG of an image.

    The same content has the same value wherever name and version are the same.
    """

    @property
    def name(self) -> str:
        """Name of the model, such as "alt-profanity-check"."""
        ...

    @property
    def version(self) -> str:
        """Version of the model; another version may give other values."""
        ...

    @property
    def limit(self) -> float:
        """A content with a greater value is left out."""
        ...

    def judge(self, content: C_contra, /) -> float:
        """Return a value from 0 to 1."""
        ...


TextJudge = Judge[str]
ImageJudge = Judge[bytes]


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
    """Where a judge is asked, and which model is behind the address."""

    #: Name of the model, for the record.
    name: str
    #: Version of the model, for the record.
    version: str
    #: URL to which requests are sent.
    url: str
    #: Greater values are left out.
    limit: float

    @classmethod
    def parse(cls, text: str, limit: float) -> Self:
        """Return the address that a text such as "my-model@2=http://127.0.0.1:8000/judge" names.

        Raises:
            UsageError: It names none.
        """
        match = _ADDRESS.fullmatch(text)
        if match is None:
            raise UsageError(f"{text!r} is no judge, such as my-model@2=http://127.0.0.1:8000/judge")
        return cls(match["name"], match["version"], match["url"], limit)

    def open(self, environment: Mapping[str, str]) -> EndpointJudge:
        """Return the judge; the token is that of the environment variable ``TOKEN_VARIABLE``."""
        token = environment.get(TOKEN_VARIABLE, "").strip()
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return EndpointJudge(self.url, self.name, self.version, limit=self.limit, headers=headers)


class EndpointJudge:
    """Implements ``TextJudge`` and, by ``EndpointImageJudge``, ``ImageJudge``.

    A text is sent as ``POST`` with the JSON object ``{"text": "…"}``. The answer has status 200 and is a JSON
    object with a number ``score`` from 0 to 1. Anything else ends the collection, so that nothing passes
    because a judge failed.

    Args:
        url: URL to which requests are sent.
        name: Name of the model behind it, for the record.
        version: Version of that model, for the record.
        limit: Greater values are left out.
        headers: Headers of requests, such as those of a key; they are stored nowhere.
        timeout: Seconds for one request.
        client: The client to use in place of one of its own.
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
            import httpx

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


class EndpointImageJudge:
    """Implements ``ImageJudge``: an ``EndpointJudge`` that is sent ``{"png": "…"}``, in base64.

    Args:
        endpoint: Its name and version are those of the judge.
        limit: Greater values are left out.
    """

    def __init__(self, endpoint: EndpointJudge, limit: float = PICTURE_LIMIT) -> None:
        self.name, self.version, self.limit = endpoint.name, endpoint.version, limit
        self._endpoint = endpoint

    def judge(self, png: bytes) -> float:
        """Return the value of an image, from 0 to 1.

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


PACKAGE = "profanity_check"

#: SHA-256 of the files of the model, in version 1.9.1. They are pickles, which run code when they are read.
DIGESTS = {
    "model.joblib": "aeafc04849d4d93db4721cf30a86ebf22085595294b8a07d51918e7fa98f538b",
    "vectorizer.joblib": "19c5200dc6a41f026e0558e2f164f5fe8d8f58e502b46b37e4385037fcfa4831",
}

#: A text whose worst window has a greater value is left out.
LIMIT = 0.95

#: Words of a window, and by how many words the next one begins later.
WINDOW_WORDS, WINDOW_STEP = 12, 6

#: Windows that are judged at once.
BATCH = 256


class ProfanityJudge:
    """Implements ``TextJudge``. The value of a text is that of its worst window.

    Args:
        limit: A text with a greater value is left out.

    Raises:
        UsageError: The model is not the one that is known.
    """

    name = "alt-profanity-check"

    def __init__(self, limit: float = LIMIT) -> None:
        self.limit = limit
        check_model(_folder())
        self.version = f"{version(self.name)} {DIGESTS['model.joblib'][:12]}"
        self._predict: Any = None

    def judge(self, text: str) -> float:
        """Return the probability of the worst window, from 0 to 1; 0 for a text without words."""
        if self._predict is None:
            from profanity_check import predict_prob

            self._predict = predict_prob
        worst = 0.0
        pieces = list(windows(text))
        for first in range(0, len(pieces), BATCH):
            worst = max(worst, float(self._predict(pieces[first : first + BATCH]).max()))
        return min(1.0, worst)


def windows(text: str) -> Iterator[str]:
    """Yield overlapping windows of the words of a text; none if it has no words."""
    words = text.split()
    for first in range(0, max(1, len(words) - WINDOW_WORDS + WINDOW_STEP), WINDOW_STEP):
        if part := words[first : first + WINDOW_WORDS]:
            yield " ".join(part)


def check_model(folder: Path) -> None:
    """Check the files of the model before anything reads them.

    Args:
        folder: Folder in which they are.

    Raises:
        UsageError: A file is missing or another.
    """
    for name, digest in DIGESTS.items():
        path = folder / name
        try:
            actual = hashlib.sha256(path.read_bytes()).hexdigest()
        except OSError as error:
            raise UsageError(f"{path}: cannot be read: {error.strerror}") from None
        if actual != digest:
            raise UsageError(
                f"{path}: is not the model of alt-profanity-check 1.9.1; install that version of the package"
            )


def _folder() -> Path:
    spec = importlib.util.find_spec(PACKAGE)
    assert spec is not None, PACKAGE
    assert spec.origin is not None, PACKAGE
    return Path(spec.origin).parent / "data"


EMAIL, TELEPHONE, PORTRAITS = "email_address", "telephone_number", "portraits"

#: Files that are named like portraits, at most, before they become a flag.
MOST_PORTRAITS = 2

#: Digits of a telephone number: ITU-T E.164 has at most 15; shorter ones than 8 are of one town.
FEWEST_DIGITS, MOST_DIGITS = 8, 15

_EMAIL = re.compile(
    r"(?<![\w.+-])[\w.+-]{1,64}(?:@|\s?\[at\]\s?|\s?\(at\)\s?)(?:[\w-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![\w-])"
)
_TELEPHONE = re.compile(r"(?<![\w.,/+-])(?:\+|00)?\(?\d[\d \u00a0().\u2011/-]{6,24}\d(?![\w%/]|[.,:-]\d)")
_GROUPS = re.compile(r"\d+")
_CALLED = re.compile(
    r"(?:tel|telephone|phone|fax|mobile|mob|call|whatsapp|telefon)\.?\s*[:.]?\s*$", re.IGNORECASE
)
_DATE = re.compile(r"(?:19|20)\d\d[-./ ]\d{1,2}[-./ ]\d{1,2}|\d{1,2}[-./ ]\d{1,2}[-./ ](?:19|20)\d\d")
_YEARS = re.compile(r"(?:(?:19|20)\d\d[ \u00a0/-]+)+(?:19|20)\d\d")
_PORTRAIT = re.compile(
    r"(?:^|[^a-z])(?:portrait|headshot|head-shot|selfie|mugshot|avatar|"
    r"profile[-_ ]?(?:pic|photo|picture|image)?|"
    r"my[-_ ]?(?:photo|picture|face)|about[-_ ]?me|me|face|team|staff)(?:[^a-z]|$)"
)
_PICTURES = (".png", ".jpg", ".jpeg", ".webp", ".gif", ".avif", ".heic")


def people_flags(text: str, files: Iterable[str] = ()) -> tuple[str, ...]:
    """Return which data of people a page seems to have: EMAIL, TELEPHONE and PORTRAITS, in this order.

    Nothing of what was found is returned, so that it is stored nowhere.

    Args:
        text: Text as readers see it.
        files: Names of the files of the page, with or without folders.
    """
    kinds = []
    if _EMAIL.search(text):
        kinds.append(EMAIL)
    if any(_is_telephone(text, match) for match in _TELEPHONE.finditer(text)):
        kinds.append(TELEPHONE)
    if sum(map(_is_portrait, files)) > MOST_PORTRAITS:
        kinds.append(PORTRAITS)
    return tuple(kinds)


def _is_telephone(text: str, match: re.Match[str]) -> bool:
    """Return whether digits are a telephone number: with a sign of one before them, or grouped like one."""
    number = match.group()
    digits = sum(len(group) for group in _GROUPS.findall(number))
    if not FEWEST_DIGITS <= digits <= MOST_DIGITS or _DATE.fullmatch(number) or _YEARS.fullmatch(number):
        return False
    if number.startswith("+") or _CALLED.search(text[max(0, match.start() - 20) : match.start()]):
        return True
    groups = _GROUPS.findall(number)
    american = [len(group) for group in groups] == [3, 3, 4]
    return american or (number.lstrip("(").startswith("0") and 2 <= len(groups) <= 6 and "." not in number)


def _is_portrait(file: str) -> bool:
    name = file.rsplit("/", 1)[-1].lower()
    return name.endswith(_PICTURES) and _PORTRAIT.search(name.rsplit(".", 1)[0]) is not None
