"""The needs of the processes of this service once they are confined."""

from __future__ import annotations

import glob
import importlib.util
import logging
import os
from pathlib import Path

from i2s_chassis.jail.own_process import Confinement, WorkerNeeds
from i2s_chassis.jail.plan import DEVICES
from i2s_metrics.functional.compiled import FOLDER
from i2s_metrics.networks.files import LIBRARIES
from i2s_metrics.networks.messages import HostSettings

_log = logging.getLogger(__name__)
_GPU = Path("/dev/nvidiactl")
_GPU_DEVICES = "/dev/nvidia*"
#: What PyTorch and OpenMP ask about processors and memory.
_PROCESSORS = ("/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system/cpu", "/sys/devices/system/node")
#: What the CUDA libraries ask about devices and the driver, and where container runtimes put the libraries.
_GPU_READABLE = (
    "/proc/devices",
    "/proc/driver/nvidia",
    "/proc/modules",
    "/proc/sys/vm/mmap_min_addr",
    "/sys/bus/pci",
    "/sys/devices",
    "/sys/module/nvidia",
    "/sys/module/nvidia_uvm",
    "/usr/local/cuda",
    "/usr/local/nvidia",
)


def worker_needs() -> WorkerNeeds:
    """Return what comparing images needs: machine code that was compiled before."""
    return WorkerNeeds(readable=(str(FOLDER),) if FOLDER else ())


def network_needs(settings: HostSettings) -> WorkerNeeds:
    """Return what running networks needs: weights, libraries wherever they lie, and a GPU if one is used.

    Args:
        settings: Settings of the process.
    """
    folders = []
    for name in LIBRARIES:
        spec = importlib.util.find_spec(name)
        folders += (
            [os.path.dirname(place) for place in (spec.submodule_search_locations or ())] if spec else []
        )
    readable = (*map(str, settings.weights.values()), *folders, *_PROCESSORS)
    if not may_use_gpu(settings.device):
        return WorkerNeeds(readable, DEVICES)
    # Its own folder: the driver's library reads its memory map there.
    return WorkerNeeds(
        (*readable, *_GPU_READABLE, "/proc/self"), DEVICES, tuple(sorted(glob.glob(_GPU_DEVICES)))
    )


def may_use_gpu(device: str) -> bool:
    """Return whether networks may compute on a GPU.

    Args:
        device: Device as in the settings.
    """
    return device.startswith("cuda") or (device == "auto" and _GPU.exists())


def log_confinement(processes: str, confinement: Confinement | None) -> None:
    """Say in the log what processes are confined by, and warn of what is missing.

    Args:
        processes: Name of the processes, such as "workers".
        confinement: None for nothing.
    """
    if confinement is None:
        _log.warning("%s are not confined (--no-confine-networks)", processes)
        return
    fields = {"mechanisms": ", ".join(confinement.mechanisms)}
    _log.info("%s are confined", processes, extra={"fields": fields})
    if not confinement.landlock_abi:
        _log.warning(
            "%s can read what the user of the service can: this kernel has no Landlock (Linux 5.13 or later, "
            "with landlock in its lsm= list)",
            processes,
        )
