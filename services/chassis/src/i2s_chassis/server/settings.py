"""The settings that every service has, and the addresses to listen on: ``host:port`` or ``[v6]:port``."""

from __future__ import annotations

import errno
import ipaddress
import re
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, Self

from pydantic import AfterValidator, ByteSize, Field, model_validator

from i2s_chassis.callers.fair_queue import HALF_LIFE_SECONDS, Pushback
from i2s_chassis.callers.quota import Quota
from i2s_chassis.limits import DEFAULT_LIMITS, MAX_LIMITS, Limits, LimitTable
from i2s_chassis.server.configure import CommandSettings, Raw
from i2s_chassis.server.resources import usable_cpus

if TYPE_CHECKING:
    from i2s_chassis.jail import Jail


_ADDRESS_FORM = re.compile(r"(?:\[(?P<v6>[^\[\]]+)\]|(?P<host>[^:\[\]]+)):(?P<port>\d{1,5})")


@dataclass(frozen=True, slots=True)
class Address:
    """Where to listen; port 0 lets the system choose."""

    host: str
    port: int

    @classmethod
    def parse(cls, text: str) -> Address:
        """Read an address.

        Raises:
            ValueError: It has another form; the message says which forms there are.
        """
        match = _ADDRESS_FORM.fullmatch(text)
        if match is None or int(match["port"]) > 65535:
            raise ValueError(f'"{text}" is no address; write host:port or [v6]:port, port 0 for a free one')
        return cls(match["v6"] or match["host"], int(match["port"]))

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach it."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def is_taken(self) -> bool:
        """Whether somebody listens there already, at everything that the host stands for.

        False if the host is not known or may not be bound: whoever binds it for good says why.
        """
        try:
            addresses = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            return False
        return bool(addresses) and all(_is_taken(family, where) for family, _, _, _, where in addresses)

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def _is_taken(family: int, where: tuple[object, ...]) -> bool:
    try:
        with socket.socket(family, socket.SOCK_STREAM) as tried:
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as a server does; it never listens
            tried.bind(where)
    except OSError as error:
        return error.errno == errno.EADDRINUSE
    return False


def _check_address(text: str) -> str:
    return str(Address.parse(text))


ListenAddress = Annotated[str, AfterValidator(_check_address)]
_MIB = 1024 * 1024
_CACHE = Path("/var/cache")

#: Value of ``user``: one that each kind of service has.
AUTO_USER = "auto"


class ServiceSettings(CommandSettings):
    """Base of a service's settings.

    A subclass gives ``service`` and ``port`` and adds fields, each with a description.
    """

    port: ClassVar[int]

    listen: ListenAddress = Field(
        "", description="Address of the gRPC server. Not loopback: needs TLS and authentication of clients."
    )
    announce: Path | None = Field(
        None, description="File that gets the addresses in use, as JSON, once the port is bound."
    )
    slots: int = Field(default_factory=usable_cpus, ge=1, le=4096, description="Jobs that run at once.")
    queue: int = Field(64, ge=0, le=100_000, description="Jobs that wait at once; more are sent away.")
    share_half_life_seconds: float = Field(
        HALF_LIFE_SECONDS,
        gt=0,
        le=86_400,
        description="Time after which what a caller or a connection used counts half when slots are shared.",
    )
    pushback: Pushback = Field(Pushback(), description="Calls that find no place:")
    quota: Quota = Field(Quota(), description="Bound of each caller; 0: none.")
    access_file: Path | None = Field(
        None,
        description="TOML file of callers with tokens, certificates and quotas; nobody else may call. "
        "Read again when it changes, and at SIGHUP.",
    )
    max_request_bytes: ByteSize = Field(
        ByteSize(32 * _MIB), ge=1024, le=1024 * _MIB, description="Greatest request message, such as 32MiB."
    )
    max_held_bytes: ByteSize = Field(
        ByteSize(256 * _MIB),
        ge=1024,
        description="Greatest size of all requests together that run or wait; more are sent away.",
    )
    drain_seconds: float = Field(
        30.0, ge=0, le=86_400, description="Time that running jobs have to finish after SIGTERM."
    )
    reflection: Literal["auto", "on", "off"] = Field(
        "auto", description="gRPC reflection; auto: on where only loopback is served."
    )
    metrics_listen: ListenAddress | None = Field(
        None, description="Address for Prometheus (plain HTTP, /metrics). Unset: no metrics are served."
    )
    health_listen: ListenAddress | None = Field(
        None, description="Address that serves gRPC health alone, without TLS, for probes."
    )
    tls_cert: Path | None = Field(None, description="Certificate chain, PEM; read again when it changes.")
    tls_key: Path | None = Field(None, description="Private key of the certificate, PEM.")
    tls_client_ca: Path | None = Field(
        None, description="Certificates, PEM; clients must present one that these have signed."
    )
    insecure: bool = Field(
        False,
        description="Serve addresses that are not loopback without TLS or without authentication of clients.",
    )
    insecure_monitoring: bool = Field(
        False,
        description="Serve --health-listen and --metrics-listen, which have no TLS, beyond loopback.",
    )
    user: str = Field(
        AUTO_USER,
        min_length=1,
        description="Started as root: user that the service becomes once what must stay root is started, by "
        "name or number. auto: 44000 plus the usual port, or 0 without capabilities where that user does not "
        "reach the code or a file of the settings.",
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field("info", description="Least level logged.")
    log_format: Literal["json", "text"] = Field("json", description="Form of the log on standard error.")
    max_concurrent_streams: int = Field(
        10_000, ge=1, le=1_000_000, description="Calls at once on one connection; more are refused."
    )
    keepalive_seconds: float = Field(
        60.0, ge=1, le=86_400, description="Silence on a connection before the peer is asked for life."
    )
    client_ping_seconds: float = Field(
        10.0,
        ge=0.01,
        le=86_400,
        description="How often a client may ask for a sign of life; one that asks more often is cut off.",
    )
    max_connection_age_seconds: float = Field(
        0.0, ge=0, description="Age at which a connection is closed so that clients spread anew; 0: never."
    )
    max_connection_age_grace_seconds: float = Field(
        600.0, ge=1, description="Time that calls have to finish on a connection that grew too old."
    )
    limit: Limits = Field(DEFAULT_LIMITS, description="Default of a job.")
    max: Limits = Field(MAX_LIMITS, description="Most that a job may ask for.")

    @classmethod
    def class_defaults(cls) -> Raw:
        """Return the default address: the port of the service on loopback."""
        return {"listen": f"127.0.0.1:{cls.port}"}

    def limit_table(self) -> LimitTable:
        """Return defaults and maxima of a job's limits."""
        return LimitTable(self.limit, self.max)

    @classmethod
    def default_folder(cls) -> Path:
        """Return where a service that was started as root keeps what it makes."""
        return _CACHE / f"i2s-{cls.service}"

    def files_read(self) -> tuple[Path, ...]:
        """Return files and folders of the settings that are read without privileges."""
        return tuple(
            file
            for file in (self.tls_cert, self.tls_key, self.tls_client_ca, self.access_file)
            if file is not None
        )

    def folders_written(self) -> tuple[Path, ...]:
        """Return the folders that are written to without privileges."""
        return ()

    def folders_written_by_root(self) -> tuple[Path, ...]:
        """Return those that are written to if the service stays user 0 without capabilities."""
        return self.folders_written()

    def users_of_jobs(self) -> range:
        """Return the users that jobs run as, none of whom the service may be."""
        return range(0)

    def start_privileged(self) -> Jail | None:
        """Start what needs the privileges that the service was started with, before it gives them up.

        Raises:
            StartError: The service cannot serve here.
        """
        return None

    @property
    def reflects(self) -> bool:
        """Whether gRPC reflection is served."""
        if self.reflection == "auto":
            return Address.parse(self.listen).is_loopback
        return self.reflection == "on"

    @model_validator(mode="after")
    def _check_transport(self) -> Self:
        if (self.tls_cert is None) != (self.tls_key is None):
            raise ValueError("--tls-cert and --tls-key belong together; give both or none")
        if self.tls_client_ca is not None and self.tls_cert is None:
            raise ValueError(
                "--tls-client-ca asks clients for certificates, which needs --tls-cert and --tls-key"
            )
        if self.insecure:
            return self
        if not Address.parse(self.listen).is_loopback:
            reachable = f"--listen {self.listen} can be reached from other machines and would be served"
            if self.tls_cert is None:
                raise ValueError(
                    f"{reachable} without TLS; give --tls-cert and --tls-key, or --insecure to accept that"
                )
            if self.tls_client_ca is None and self.access_file is None:
                raise ValueError(
                    f"{reachable} to everybody; give --access-file or --tls-client-ca, "
                    "or --insecure to accept that"
                )
        for option, address in (
            ("--health-listen", self.health_listen),
            ("--metrics-listen", self.metrics_listen),
        ):
            if address and not self.insecure_monitoring and not Address.parse(address).is_loopback:
                raise ValueError(
                    f"{option} {address} can be reached from other machines and is served without TLS and "
                    "authentication; give --insecure-monitoring to accept that"
                )
        return self

    @model_validator(mode="after")
    def _check_limits(self) -> Self:
        try:
            self.limit_table()
        except ValueError as error:
            raise ValueError(f"{error} (--limit-… are the defaults, --max-… the maxima)") from None
        return self
