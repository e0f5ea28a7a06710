"""The client of public servers: one connection a host, gaps kept, robots.txt obeyed, every answer stored."""

from __future__ import annotations

import hashlib
import ipaddress
import json
import logging
import re
import socket
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urljoin, urlsplit
from urllib.request import getproxies
from urllib.robotparser import RobotFileParser

from i2s_collect.web.answer import Ask, BodyTooLargeError, NotCachedError, SourceStoppedError, WebAnswer
from i2s_collect.web.manners import HostGaps, Manners
from i2s_sdk.errors import UsageError
from i2s_sdk.files import write_whole, writing
from i2s_sdk.json_text import read_json

if TYPE_CHECKING:
    import httpx


#: The name under which hosts may have rules for this program.
AGENT = "i2s-collect"


def robots_ask(url: str) -> Ask:
    """Return the request for the robots.txt of the host of a URL."""
    parts = urlsplit(url)
    return Ask(
        f"{parts.scheme}://{parts.netloc}/robots.txt",
        max_bytes=512_000,
        expected=frozenset({401, 403, *range(404, 429), *range(430, 500)}),
        fresh=True,
    )


class Robots:
    """The rules of one host."""

    def __init__(self, answer: WebAnswer) -> None:
        self._rules = RobotFileParser()
        if answer.status in (401, 403):
            self._rules.parse(["User-agent: *", "Disallow: /"])
        elif answer.status != 200:
            self._rules.parse([])
        else:
            self._rules.parse(answer.body.decode("utf-8", "replace").splitlines())

    def permits(self, url: str) -> bool:
        """Return whether the rules permit a URL, its query included."""
        return self._rules.can_fetch(AGENT, url)

    @property
    def delay(self) -> float:
        """Seconds between requests that the host asks for; 0 if it asks for none."""
        said = self._rules.crawl_delay(AGENT)
        return float(said) if said else 0.0


#: Headers of answers that are stored.
KEPT_HEADERS = frozenset({"content-type", "date", "etag", "last-modified", "link"})


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """An answer of an earlier request."""

    #: Answer as the server gave it.
    answer: WebAnswer
    #: When it was received.
    taken: datetime


class WebCache:
    """A folder with the answers of all requests that were made for a collection.

    A request is its URL, its query and those headers that are not secrets. For each there are two files: the
    body under its SHA-256, and the answer, which names it and is written last, so that a process that is
    killed leaves a whole answer or none.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def find(self, ask: Ask) -> StoredAnswer | None:
        """Return the stored answer of a request, or None if there is none or its body is gone."""
        try:
            stored = read_json(self._place(ask).read_bytes())
            body = (self._folder / "bodies" / stored["sha256"]).read_bytes()
        except (OSError, ValueError, KeyError):
            return None
        if hashlib.sha256(body).hexdigest() != stored["sha256"]:
            return None
        answer = WebAnswer(stored["status"], stored["headers"], body, stored["url"])
        return StoredAnswer(answer, datetime.fromisoformat(stored["taken"]))

    def store(self, ask: Ask, answer: WebAnswer) -> None:
        """Store the answer of a request.

        Raises:
            WriteError: It cannot be written.
        """
        digest = hashlib.sha256(answer.body).hexdigest()
        line = {
            "request": _request(ask),
            "url": answer.url.partition("?")[0],  # queries of redirections may hold secrets
            "status": answer.status,
            "headers": {name: value for name, value in answer.headers.items() if name in KEPT_HEADERS},
            "taken": datetime.now(UTC).isoformat(timespec="seconds"),
            "sha256": digest,
            "bytes": len(answer.body),
        }
        with writing(self._folder):
            write_whole(self._folder / "bodies" / digest, answer.body)
            write_whole(self._place(ask), json.dumps(line, indent=1, sort_keys=True).encode())

    def forget(self, ask: Ask) -> None:
        """Forget the answer of a request; its body stays."""
        with writing(self._folder):
            self._place(ask).unlink(missing_ok=True)

    def _place(self, ask: Ask) -> Path:
        key = hashlib.sha256(json.dumps(_request(ask), sort_keys=True).encode()).hexdigest()
        return self._folder / "answers" / key[:2] / f"{key}.json"


def _request(ask: Ask) -> dict[str, object]:
    headers = {
        name.lower(): value for name, value in ask.headers.items() if name.lower() not in ask.secret_headers
    }
    return {"url": ask.url, "query": [list(pair) for pair in ask.query], "headers": headers}


_log = logging.getLogger(__name__)

#: Time limit of a request in seconds: until it is connected, and between two parts of its answer.
TIMEOUT = 60.0
#: The most attempts of one request.
ATTEMPTS = 6
#: The longest that is waited because a server asks for it, in seconds.
LONGEST_WAIT = 3600.0
#: Redirections of one request.
REDIRECTIONS = 5

_CONTACT = re.compile(r"[^\s@<>()]+@[^\s@<>()]+\.[^\s@<>()]+|https?://[^\s<>()]+")


def checked_contact(contact: str) -> str:
    """Return a contact as servers are told it.

    Raises:
        UsageError: It is neither an e-mail address nor a URL.
    """
    if not contact.isascii() or not _CONTACT.fullmatch(contact):
        raise UsageError(
            "servers want to know whom to ask about this program: give --contact (or I2S_CONTACT) an e-mail "
            "address or a URL of yours"
        )
    return contact


class HttpWeb:
    """Asks servers, one request at a time to a host, and stores every answer.

    It implements ``Web``. Use it as a context manager.

    Args:
        cache: Cache of answers.
        gaps: Gaps of hosts.
        contact: Contact of the person who collects, as ``checked_contact`` returns it.
        version: Version of this program.
        manners: Manners of hosts by name and port.
        others: Manners of all other hosts; None for the default ones.
        offline: Whether only stored answers are used.
        sleep: How waiting for a server is done.
    """

    def __init__(
        self,
        cache: WebCache,
        gaps: HostGaps,
        contact: str,
        version: str,
        manners: Mapping[str, Manners] | None = None,
        *,
        others: Manners | None = None,
        offline: bool = False,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._cache, self._gaps, self._manners = cache, gaps, dict(manners or {})
        self._others, self._offline, self._sleep = others or Manners(), offline, sleep
        self._robots: dict[str, Robots] = {}
        self._agent = f"{AGENT}/{version} (+{contact})"
        self._client: httpx.Client | None = None
        self._own_hosts: set[str] = set()  # those that were connected to in the own network
        self.requests = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            self._client.close()

    def get(self, ask: Ask) -> WebAnswer:
        """Return the stored or a new answer; see ``Web``."""
        return self._get(ask, may_be_own=True)

    def _get(self, ask: Ask, *, may_be_own: bool) -> WebAnswer:
        stored = self._cache.find(ask)
        today = datetime.now(UTC).date()
        if stored and (self._offline or not ask.fresh or stored.taken.date() == today):
            return stored.answer
        if self._offline:
            raise NotCachedError(f"{ask.url} was never asked for, and the collection is offline")
        answer = self._asked(ask, may_be_own)
        self._cache.store(ask, answer)
        return answer

    def forget(self, ask: Ask) -> None:
        """Forget the stored answer of a request."""
        self._cache.forget(ask)

    def _asked(self, ask: Ask, may_be_own: bool) -> WebAnswer:
        if not ask.documented:
            self._check_robots(ask.url, may_be_own)
        said = "does not answer"
        for attempt in range(ATTEMPTS):
            try:
                answer = self._followed(ask, may_be_own)
            except _failures() as error:
                said = f"does not answer: {error or type(error).__name__}"
                wait = float(2**attempt)
            else:
                if ask.is_answered(answer):
                    return answer
                asked_for = self._manners_of(ask.url).wait_of(answer)
                said = f"answered {answer.status}"
                if asked_for is None and answer.status < 500:
                    raise SourceStoppedError(f"{ask.url} {said}{_explained(answer)}; the source stops here")
                wait = float(2**attempt) if asked_for is None else asked_for
                if wait > LONGEST_WAIT:
                    raise SourceStoppedError(
                        f"{ask.url} {said} and asks to wait {wait:.0f} s; run the same command later"
                    )
            if attempt + 1 < ATTEMPTS:
                _log.warning("%s %s; asking again in %.0f s", ask.url, said, wait)
                self._sleep(wait)
        raise SourceStoppedError(f"{ask.url} {said}, {ATTEMPTS} times; run the same command later")

    def _followed(self, ask: Ask, may_be_own: bool) -> WebAnswer:
        """Return the answer after redirections.

        Secret headers go to the first host alone. No redirection leads to the own network.
        """
        url, query = ask.url, ask.query
        for _ in range(REDIRECTIONS):
            answer = self._once(url, query, ask, first=url == ask.url, may_be_own=may_be_own)
            if answer.status not in (301, 302, 303, 307, 308) or "location" not in answer.headers:
                return answer
            before, url, query = url, urljoin(answer.url, answer.headers["location"]), ()
            if refusal := _refused_redirection(before, url, self._own_hosts):
                raise SourceStoppedError(f"{ask.url} {refusal}")
            may_be_own = may_be_own and urlsplit(before).netloc in self._own_hosts
            if not ask.documented:
                self._check_robots(url, may_be_own)
        raise SourceStoppedError(f"{ask.url} redirects more than {REDIRECTIONS} times")

    def _once(
        self, url: str, query: tuple[tuple[str, str], ...], ask: Ask, *, first: bool, may_be_own: bool
    ) -> WebAnswer:
        host = urlsplit(url).netloc
        headers = {
            name: value
            for name, value in ask.headers.items()
            if first or name.lower() not in ask.secret_headers
        }
        headers |= {"User-Agent": self._agent, "Accept-Encoding": "identity"}
        gap = max(self._manners_of(url).gap, self._robots[host].delay if host in self._robots else 0.0)
        with self._gaps.turn(host, gap):
            self.requests += 1
            extensions = {"trace": self._address_check(url, host, may_be_own)}
            with self._connected().stream(
                "GET", url, params=query or None, headers=headers, extensions=extensions
            ) as answer:
                body = bytearray()
                for part in answer.iter_bytes():
                    body += part
                    if len(body) > ask.max_bytes:
                        raise BodyTooLargeError(f"{url} has more than {ask.max_bytes} bytes")
                kept = {name.lower(): value for name, value in answer.headers.items()}
                return WebAnswer(answer.status_code, kept, bytes(body), str(answer.url))

    def _address_check(
        self, url: str, host: str, may_be_own: bool
    ) -> Callable[[str, Mapping[str, Any]], None]:
        """Return a trace function, which httpx calls with each new connection before it sends anything.

        A name says little about where it leads: what counts is the address that was connected to. Behind a
        proxy that is the proxy's, and its network is not ours to know.
        """
        proxies = {urlsplit(one if "://" in one else f"//{one}").hostname for one in getproxies().values()}
        name: list[str] = []

        def check(event: str, about: Mapping[str, Any]) -> None:
            if event == "connection.connect_tcp.started":
                name[:] = [str(about["host"])]
            if event != "connection.connect_tcp.complete" or proxies.intersection(name):
                return
            address = about["return_value"].get_extra_info("server_addr")[0]
            if not is_own_address(address):
                return
            if not may_be_own:
                raise SourceStoppedError(
                    f"a redirection leads to {url[:200]}, which is {address} in the own network"
                )
            self._own_hosts.add(host)

        return check

    def _connected(self) -> httpx.Client:
        if self._client is None:
            import httpx

            limits = httpx.Limits(max_connections=1, max_keepalive_connections=1)
            self._client = httpx.Client(timeout=TIMEOUT, limits=limits, follow_redirects=False)
        return self._client

    def _manners_of(self, url: str) -> Manners:
        return self._manners.get(urlsplit(url).netloc, self._others)

    def _check_robots(self, url: str, may_be_own: bool) -> None:
        host = urlsplit(url).netloc
        if host not in self._robots:
            self._robots[host] = Robots(self._get(robots_ask(url), may_be_own=may_be_own))
        if not self._robots[host].permits(url):
            raise SourceStoppedError(f"robots.txt of {host} does not permit {url}")


def _failures() -> type[Exception]:
    """Return the class of failures of a connection."""
    import httpx

    return httpx.TransportError


def _explained(answer: WebAnswer) -> str:
    """Return the beginning of an answer that is a text, for a message."""
    text = " ".join(answer.body[:300].decode("utf-8", "replace").split())
    return f" ({text})" if text.isprintable() and text else ""


def _refused_redirection(before: str, after: str, own_hosts: Collection[str] = ()) -> str:
    """Return why a redirection is not followed, or nothing."""
    was, now = urlsplit(before), urlsplit(after)
    if now.scheme != "https" and not (was.scheme == now.scheme == "http"):
        return f"redirects to {after[:200]}, which is not https"
    from_own = _is_own(was.hostname) or was.netloc in own_hosts
    if (_is_own(now.hostname) or now.netloc in own_hosts) and not from_own:
        return f"redirects to {after[:200]}, which is in the own network"
    return ""


def _is_own(host: str | None) -> bool:
    """Return whether a host is named as one of the own machine or network."""
    name = (host or "").rstrip(".")
    if name in ("", "localhost") or name.endswith((".localhost", ".local", ".internal")):
        return True
    try:
        return is_own_address(socket.inet_ntoa(socket.inet_aton(name)))  # 127.1, 2130706433 and 0x7f.1 too
    except OSError:
        pass
    try:
        return is_own_address(name)
    except ValueError:
        return False


_NAT64 = ipaddress.ip_network("64:ff9b::/96")


def is_own_address(text: str) -> bool:
    """Return whether an address is one of the own machine or network: not a global one.

    IPv6 addresses that stand for one of IPv4 are judged by that.

    Raises:
        ValueError: It is no address.
    """
    address = ipaddress.ip_address(text.partition("%")[0])
    if isinstance(address, ipaddress.IPv6Address):
        if address in _NAT64:
            return is_own_address(str(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)))
        inner = address.ipv4_mapped or address.sixtofour
        if inner is not None:
            return is_own_address(str(inner))
    return not address.is_global
