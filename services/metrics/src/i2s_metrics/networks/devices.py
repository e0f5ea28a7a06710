"""Where the networks compute."""

from __future__ import annotations

import torch

from i2s_metrics.errors import DeviceError


def choose_device(wanted: str) -> torch.device:
    """Return the device.

    Args:
        wanted: "cpu", "cuda", "cuda:N", or "auto": the first GPU if there is one.

    Raises:
        DeviceError: There is none of that name.
    """
    if wanted == "cpu" or (wanted == "auto" and not torch.cuda.is_available()):
        return torch.device("cpu")
    device = torch.device("cuda" if wanted == "auto" else wanted)
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if (device.index or 0) >= count:
        raise DeviceError(
            f"--device {wanted}: this PyTorch ({torch.__version__}) sees {count} GPUs; use --device cpu"
        )
    return torch.device("cuda", device.index or 0)


def prepare(device: torch.device, threads: int, most_bytes: int | None) -> None:
    """Set what holds for the whole process: threads, memory, reproducible arithmetic.

    Args:
        device: The device that will be used.
        threads: Number of threads on processors.
        most_bytes: Maximum use of a GPU's memory, in bytes; None for all of it.
    """
    torch.set_num_threads(threads)
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cudnn.benchmark = False
    torch.backends.cudnn.deterministic = True
    if device.type == "cuda" and most_bytes is not None:
        _, total = torch.cuda.mem_get_info(device)
        torch.cuda.set_per_process_memory_fraction(min(1.0, most_bytes / total), device)


def describe(device: torch.device) -> str:
    """Return the device for people: "cpu", or "cuda:0 (name)"."""
    if device.type == "cpu":
        return "cpu"
    return f"{device} ({torch.cuda.get_device_name(device)})"
