"""The settings of an HTTP gateway: its address, its callers, and its bounds."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from pathlib import Path

from i2s_sdk.errors import SettingsError

#: Where the gateway listens if nothing else is said.
DEFAULT_LISTEN = "127.0.0.1:7780"


@dataclass(frozen=True, slots=True, kw_only=True)
class GatewaySettings:
    """The settings of a gateway.

    Raises:
        SettingsError: A value has no meaning, or others on the network could read what is sent.
    """

    #: Address, host:port; port 0 takes a free one.
    listen: str = DEFAULT_LISTEN
    #: Address of metrics for Prometheus and of /v1/live for probes, over plain HTTP; None for none.
    metrics_listen: str | None = None
    #: Certificate chain (PEM) for HTTPS; None speaks HTTP.
    certificate: Path | None = None
    #: Its private key (PEM).
    key: Path | None = None
    #: Whether it may listen off the loopback without TLS, or in front of services that take anonymous calls.
    insecure: bool = False
    #: Names that requests may give as their host, beside localhost and IP addresses.
    hosts: tuple[str, ...] = ()
    #: Origins of web pages that may send requests, such as "https://example.org".
    origins: tuple[str, ...] = ()
    #: Size of the largest body of a request.
    body_bytes: int = 96 * 1024 * 1024
    #: Size of all bodies that are being read or translated, together.
    bodies_bytes: int = 384 * 1024 * 1024
    #: Seconds that the body of a request may take to arrive, and that of an answer to be read.
    body_seconds: float = 60.0
    #: Bytes a second that a body must bring on, over ten seconds.
    body_rate: int = 4096
    #: Seconds that the header of a request may take to arrive, counted from the connection or its first byte.
    header_seconds: float = 10.0
    #: Most connections at a time.
    connections: int = 256
    #: Most connections at a time from one address.
    connections_each: int = 128
    #: Seconds that a call of a service may take, with its waits.
    deadline: float = 120.0
    #: Seconds that a request waits for a service that cannot be reached or is full; 0 for not at all.
    wait_seconds: float = 120.0
    #: Seconds that requests under way have at the end.
    drain_seconds: float = 10.0
    #: Tasks that have rewards; none means all whose services are behind the gateway.
    reward_tasks: tuple[str, ...] = ()
    #: The data set whose instances rewards can name, as ``--data`` of evaluations has it; None is the bundled
    #: examples.
    reward_data: str | None = None
    #: Answers of a task that are under way at a time; 0 is twice the slots of its renderers.
    reward_jobs: int = 0
    #: Most answers of one batch, and most references of one upload.
    reward_items: int = 4096
    #: Most answers that wait or are under way; a caller that is alone gets half.
    reward_waiting: int = 16384
    #: Size of all of them with their references; a caller that is alone gets half.
    reward_bytes: int = 512 * 1024 * 1024
    #: Size of all references that are kept; a caller gets half at most.
    reference_bytes: int = 512 * 1024 * 1024
    #: Seconds that a batch may take, unless it asks for less.
    reward_seconds: float = 3600.0
    #: Most episodes of all callers.
    episodes: int = 4096
    #: Most episodes of one caller.
    episodes_each: int = 1024
    #: Size of all episodes; those of one caller have half at most.
    episode_bytes: int = 512 * 1024 * 1024
    #: Seconds after its last use for which an episode is kept.
    episode_seconds: float = 3600.0
    #: Folder or URL where replicas share references and episodes, which outlive the gateway there; None keeps
    #: both in memory.
    store: str | None = None

    def __post_init__(self) -> None:
        _require_address("--listen", self.listen)
        if self.metrics_listen is not None:
            _require_address("--metrics-listen", self.metrics_listen)
        if (self.certificate is None) != (self.key is None):
            raise SettingsError("--https-cert and --https-key belong together; give both or none")
        if not (self.is_loopback or self.insecure or self.certificate):
            raise SettingsError(
                f"--listen {self.listen}: others on the network could read what is sent; give --https-cert "
                "and --https-key, or --insecure behind a proxy that speaks HTTPS"
            )
        for origin in self.origins:
            if not origin.startswith(("http://", "https://")) or origin.count("/") != 2:
                raise SettingsError(
                    f"--allow-origin: {origin!r} is not an origin such as https://example.org"
                )
        for name in (
            *("body_bytes", "bodies_bytes", "body_rate", "connections", "connections_each"),
            *("reward_items", "reward_waiting", "reward_bytes", "reference_bytes"),
            *("episodes", "episodes_each", "episode_bytes"),
        ):
            if getattr(self, name) < 1:
                raise SettingsError(f"--{name.replace('_', '-')}: {getattr(self, name)} is below 1")
        if self.reward_jobs < 0:
            raise SettingsError(f"--reward-jobs: {self.reward_jobs} is below 0")
        for name in (
            "body_seconds",
            "header_seconds",
            "deadline",
            "drain_seconds",
            "reward_seconds",
            "episode_seconds",
        ):
            if not 0 < getattr(self, name) < float("inf"):
                raise SettingsError(
                    f"--{name.replace('_', '-')}: {getattr(self, name)} is no number of seconds above 0"
                )
        _require_seconds("--wait-seconds", self.wait_seconds)
        if self.bodies_bytes < 2 * self.body_bytes:
            raise SettingsError(
                "--bodies-bytes is less than twice --body-bytes: no body of that size could be read, "
                "since one caller gets no more than is left for others"
            )

    @property
    def host(self) -> str:
        """The host of ``listen``, without brackets."""
        return self.listen.rpartition(":")[0].strip("[]")

    @property
    def port(self) -> int:
        """The port of ``listen``."""
        return int(self.listen.rpartition(":")[2])

    @property
    def is_loopback(self) -> bool:
        """Whether only programs of this machine reach the gateway."""
        return is_loopback(self.host)


def _require_address(option: str, text: str) -> None:
    host, colon, port = text.rpartition(":")
    if not (colon and host and port.isdigit() and int(port) < 65536):
        raise SettingsError(f"{option}: {text!r} is not an address such as {DEFAULT_LISTEN}")


def _require_seconds(option: str, seconds: float) -> None:
    if not 0 <= seconds < float("inf"):
        raise SettingsError(f"{option}: {seconds} is no number of seconds")


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine and no other."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
