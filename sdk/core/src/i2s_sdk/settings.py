"""The settings of the SDK: flag > environment > file > default, read once."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from i2s_client.credentials import Token, read_token
from i2s_client.service_table import SERVICES, setting_of
from i2s_sdk.errors import SettingsError
from i2s_sdk.settings_sources import (
    ADDRESS,
    ADDRESSES,
    SECRETS,
    TOKEN_FILES,
    ValueSource,
    flag_of,
    names_of,
    no_such,
    refuse_secret,
    require_addresses,
    values_of_environment,
    values_of_file,
)
from i2s_wire.bounds import PICTURE_PIXELS
from i2s_wire.metrics.profile import Profile

#: The value of ``up_ports`` with which the system chooses ports.
FREE_PORTS = "free"
_MOST_ADDED = 65_535 - max(service.port for service in SERVICES)

#: The longest completion that is read; a longer one is not usable.
COMPLETION_CHARACTERS = 1_000_000


_NOT_NEGATIVE = (
    "jobs",
    "waiting",
    "batch_seconds",
    "like_failures",
    "free_bytes",
    "render_cache_bytes",
    "score_cache_bytes",
    "truth_characters",
    "lock_seconds",
)
_AT_LEAST_1 = (
    "store_lines",
    "reference_pixels",
    "completion_characters",
    "scorer_memory_bytes",
    "pdftotext_memory_bytes",
)
_LEAST = {**dict.fromkeys(_NOT_NEGATIVE, 0), **dict.fromkeys(_AT_LEAST_1, 1)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of everything that the SDK does.

    Each field is ``--set FIELD=VALUE`` or has a flag, is I2S_<FIELD>, and is a key of the configuration file.
    """

    #: Address of a running LaTeX renderer; None starts one here.
    render_latex: str | None = None
    #: Address of a running renderer of web sites; None starts one here.
    render_html: str | None = None
    #: Address of a running LilyPond renderer; None starts one here.
    render_lilypond: str | None = None
    #: Address of a running Python renderer; None starts one here.
    render_python: str | None = None
    #: Address of a running metric service; None starts one here.
    metrics: str | None = None
    #: Address of a running documents service; None starts one here.
    documents: str | None = None
    #: Addresses of running renderers of other packages: NAME=host:port, with commas between. One whose
    #: package is not installed here renders generic sources, in the languages that it names when it is asked.
    other_renderers: str = ""
    #: Certificates (PEM) that services named by address are checked against; None speaks without TLS.
    #: Services started here listen on the loopback and need none.
    tls_ca: Path | None = None
    #: Our certificate chain (PEM), for services that ask for one.
    tls_cert: Path | None = None
    #: Its private key (PEM).
    tls_key: Path | None = None
    #: Our bearer token for services named by address; sent over TLS or on the loopback only. From the
    #: environment alone (I2S_TOKEN).
    token: Token | None = None
    #: Another one for this service; likewise the next four.
    token_render_latex: Token | None = None
    #: See token_render_latex.
    token_render_html: Token | None = None
    #: See token_render_latex.
    token_render_lilypond: Token | None = None
    #: See token_render_latex.
    token_render_python: Token | None = None
    #: See token_render_latex.
    token_metrics: Token | None = None
    #: See token_render_latex.
    token_documents: Token | None = None
    #: File with our token, in the place of I2S_TOKEN.
    token_file: Path | None = None
    #: Another one for this service; likewise the next four.
    token_file_render_latex: Path | None = None
    #: See token_file_render_latex.
    token_file_render_html: Path | None = None
    #: See token_file_render_latex.
    token_file_render_lilypond: Path | None = None
    #: See token_file_render_latex.
    token_file_render_python: Path | None = None
    #: See token_file_render_latex.
    token_file_metrics: Path | None = None
    #: See token_file_render_latex.
    token_file_documents: Path | None = None
    #: Profile whose rules are followed.
    profile: Profile = Profile.PAPER
    #: File with prompts in place of those of the tasks (TOML).
    prompts: Path | None = None
    #: Name of a run, shown in place of its model. It decides nothing: a run is resumed under any name.
    label: str = ""
    #: A text that is kept with a run and shown in its report; decides nothing either.
    note: str = ""
    #: Folder of the bundled examples; None looks for it.
    examples: Path | None = None
    #: Samples in each of the stages "render" and "score"; 0 is twice the slots of their service.
    jobs: int = 0
    #: Samples that may wait before each of these stages; 0 is as many as are in it.
    waiting: int = 0
    #: Seconds for one attempt of a call.
    deadline: float = 120.0
    #: Seconds for all attempts of a call.
    retry_seconds: float = 300.0
    #: Seconds for a batch of rewards; completions that are not judged by then have none. 0 is no end.
    batch_seconds: float = 3600.0
    #: Ports of the services of ``up``: a number that is added to the port of each (7710 and so on), so that
    #: two users of a machine can have services; or "free", and the system chooses them at each start.
    up_ports: str = "0"
    #: Seconds that a service may take until it serves.
    start_seconds: float = 600.0
    #: Lines of a run in an object store that may wait until they are written together.
    store_lines: int = 200
    #: Seconds that they may wait. What waits is lost with the process, and done again.
    store_seconds: float = 10.0
    #: Seconds after which a process that had such a run, and is silent, counts as gone.
    lease_seconds: float = 60.0
    #: Time in seconds that a command waits for another process that works on the same run; 0 ends it at once,
    #: with exit code 4.
    lock_seconds: float = 0.0
    #: The most pixels of a reference image, width times height. The metric service has a limit of its own
    #: (``--max-image-pixels``).
    reference_pixels: int = PICTURE_PIXELS
    #: The most characters of a completion; a longer one is not usable and counts as no structure.
    completion_characters: int = COMPLETION_CHARACTERS
    #: CPU time that scoring one sample may take in a worker process; a sample that takes more is not usable.
    scorer_cpu_seconds: float = 60.0
    #: Memory that it may take; the same.
    scorer_memory_bytes: int = 1 << 30
    #: How task ``sobench`` asks for JSON: "fenced", by the text, or "structured", by the server's mode for
    #: structured output, with the schema in the request and not in the text.
    sobench_mode: str = "fenced"
    #: File of the system text of that task; None takes that of this project, which profile ``reference`` does
    #: not.
    sobench_system_text: Path | None = None
    #: CPU time that the model ``baseline/pdftotext`` may take for one document; a document that takes more
    #: has no answer.
    pdftotext_cpu_seconds: float = 60.0
    #: Memory that it may take; the same.
    pdftotext_memory_bytes: int = 1 << 30
    #: Pages that task ``readoc`` shows in a request: one ("each"), or up to five ("together").
    readoc_pages: str = "each"
    #: What task ``design2code`` gives the model: the image ("direct"), or the texts of the page too ("text").
    design2code_prompt: str = "direct"
    #: How many calls of a model in a row may fail alike; then no more are made, and the run ends with what is
    #: done, or with the reason if no call was answered. 0 asks for every sample.
    like_failures: int = 20
    #: Whether evaluations measure baselines and the oracle beside a model: yes or no.
    reference_points: str = "yes"
    #: Folder that keeps their values for other runs; default in the caches.
    reference_points_cache: Path | None = None
    #: Whether runs take answers of a model's server that earlier runs were given, and keep their own for
    #: later ones: "no", "yes", or the folder that holds them. The name of a model does not say which weights
    #: answer.
    answer_cache: str = "no"
    #: Whether evaluations keep what renderers answer, to ask for nothing twice: "yes" or "no".
    render_cache: str = "yes"
    #: The same of the values of metrics of images.
    score_cache: str = "yes"
    #: Folder that holds both caches, or its URL; None takes the user's caches.
    evaluation_caches: str | None = None
    #: Maximum size of the cache of renderers' answers in a folder; beyond it the answers are removed that
    #: were not used for longest. 0 keeps none.
    render_cache_bytes: int = 4 << 30
    #: The same of the values of metrics.
    score_cache_bytes: int = 256 << 20
    #: The most characters of ground truths as they were rendered that an evaluation keeps in memory for its
    #: further models and turns, and a reward for its further batches; 0 keeps none.
    truth_characters: int = 100_000_000
    #: Seconds after Ctrl-C until a command ends whatever is still at work.
    interrupt_seconds: float = 3.0
    #: Bytes that a run folder must be able to take before anything is begun; they are written and removed
    #: again. 0 tries nothing.
    free_bytes: int = 1024 * 1024
    #: How many samples may end in a failure of the infrastructure before the run counts as failed: a number,
    #: or a share such as "1%".
    fail_on_error: str = "1%"
    #: Settings of the services that have no field here, such as "render_dot", "token_render_dot" and
    #: "token_file_render_dot"; each is set like a field.
    services: Mapping[str, str | Token | Path | None] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        for name in ADDRESSES:
            address = self.value(name)
            if address is not None and not ADDRESS.fullmatch(str(address)):
                raise SettingsError(f"{names_of(name)}: {address!r} is not an address such as 127.0.0.1:7710")
        require_addresses(self.other_renderers)
        if (self.tls_cert is None) != (self.tls_key is None):
            raise SettingsError(
                f"{names_of('tls_cert')} and {names_of('tls_key')} belong together; give both or none"
            )
        if self.tls_cert is not None and self.tls_ca is None:
            raise SettingsError(
                f"{names_of('tls_cert')} needs {names_of('tls_ca')}: without it there is no TLS"
            )
        for name in (
            "deadline",
            "retry_seconds",
            "start_seconds",
            "store_seconds",
            "lease_seconds",
            "interrupt_seconds",
            "scorer_cpu_seconds",
            "pdftotext_cpu_seconds",
        ):
            if not 0 < getattr(self, name) < float("inf"):
                raise SettingsError(
                    f"{names_of(name)}: {getattr(self, name)} is not a number of seconds above 0"
                )
        for name, least in _LEAST.items():
            if not least <= getattr(self, name) < float("inf"):
                raise SettingsError(f"{names_of(name)}: {getattr(self, name)} is below {least} or not finite")
        for name in ("reference_points", "render_cache", "score_cache"):
            if getattr(self, name) not in ("yes", "no"):
                raise SettingsError(f"{names_of(name)}: {getattr(self, name)!r} is neither yes nor no")
        if self.up_ports != FREE_PORTS and not (
            re.fullmatch(r"\d{1,5}", self.up_ports) and int(self.up_ports) <= _MOST_ADDED
        ):
            raise SettingsError(
                f"{names_of('up_ports')}: {self.up_ports!r} is neither {FREE_PORTS!r} nor a number from 0 to "
                f"{_MOST_ADDED}, which is added to the ports of the services"
            )
        if not re.fullmatch(r"\d+|\d+(\.\d+)?%", self.fail_on_error):
            raise SettingsError(
                f"{names_of('fail_on_error')}: {self.fail_on_error!r} is not a number or a share such as 1%"
            )

    def token_for(self, service: str) -> Token | None:
        """Return our token for a service: its own, else that of all; a variable precedes a file.

        Args:
            service: Name, such as "metrics".

        Raises:
            SettingsError: Its file cannot be read or holds none.
        """
        for suffix in (f"_{setting_of(service)}", ""):
            token, file = self.value(f"token{suffix}"), self.value(f"token_file{suffix}")
            if isinstance(token, Token):
                return token
            if isinstance(file, Path):
                return read_token(file)
        return None

    def address_of(self, service: str) -> str | None:
        """Return the address of a running service; None if none is named.

        Args:
            service: Name, such as "metrics".
        """
        address = self.value(setting_of(service))
        if address is not None:
            return str(address)
        return self.other_addresses.get(service)

    @property
    def other_addresses(self) -> dict[str, str]:
        """The addresses of ``other_renderers`` by name; these renderers need no package here."""
        pairs = (one.partition("=") for one in self.other_renderers.split(",") if one.strip())
        return {name.strip(): address.strip() for name, _, address in pairs}

    def value(self, name: str) -> object:
        """Return the value of a setting, None for one that is not there."""
        return self.values().get(name)

    def values(self) -> dict[str, object]:
        """Return all settings by name, those of services that have no field last."""
        own = {one.name: getattr(self, one.name) for one in fields(self) if one.name != _SERVICES}
        return {**own, **{name: self.services.get(name) for name in setting_names() if name not in own}}

    def failures_allowed(self, samples: int) -> float:
        """Return how many of ``samples`` may end in a failure of the infrastructure."""
        if self.fail_on_error.endswith("%"):
            return samples * float(self.fail_on_error[:-1]) / 100.0
        return float(self.fail_on_error)

    @classmethod
    def load(
        cls,
        flags: Mapping[str, object | None] | None = None,
        *,
        config: Path | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> Settings:
        """Return the settings of this process.

        Args:
            flags: Values by field, strongest; None is "not given".
            config: The file; None takes I2S_CONFIG, else i2s.toml of the working folder if there is one.
            environ: The environment of the process.

        Raises:
            SettingsError: A value has no meaning, there is no such setting, or the file cannot be read; names
                flag, variable or line.
        """
        environ = os.environ if environ is None else environ
        known = set(setting_names())
        values: dict[str, Any] = {}
        for source, raw in (*values_of_file(config, environ, known), *values_of_environment(environ, known)):
            values[source.name] = _convert(source, raw)
        for name, value in (flags or {}).items():
            if name not in known:
                raise SettingsError(f"--set {name}: {no_such(name, known)}")
            refuse_secret(name, f"--set {name}")
            if value is not None:
                values[name] = _convert(ValueSource(name, flag_of(name)), value)
        further = {name: values.pop(name) for name in known - _FIELDS & values.keys()}
        return cls(**values, services=further)


_SERVICES = "services"
_FIELDS = {one.name for one in fields(Settings)} - {_SERVICES}


def setting_names() -> tuple[str, ...]:
    """Return the names of all settings, those of services that have no field last."""
    return tuple(
        dict.fromkeys(
            (
                *(one.name for one in fields(Settings) if one.name in _FIELDS),
                *ADDRESSES,
                *SECRETS,
                *TOKEN_FILES,
            )
        )
    )


#: How a value is read, by the type of its field; all others are texts.
_READERS: Mapping[str, Callable[[Any], object]] = {
    "int": int,
    "float": float,
    "Path | None": Path,
    "Profile": Profile,
}


def _convert(source: ValueSource, raw: object) -> object:
    """Return a value as its field has it."""
    if source.name in SECRETS:
        return Token(str(raw), source.label)
    of_service = "Path | None" if source.name in TOKEN_FILES else "str"
    kind = next((one.type for one in fields(Settings) if one.name == source.name), of_service)
    reader = _READERS.get(str(kind), str)
    try:
        return reader(raw)
    except (ValueError, TypeError):
        wanted = {"Profile": "paper or helm", "Path | None": "a path"}.get(str(kind), "a number")
        raise SettingsError(f"{source.label}: {raw!r} is not {wanted}") from None
