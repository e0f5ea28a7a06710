import subprocess
import sys

import pytest

from i2s_chassis.errors import SettingsError
from i2s_metrics.settings import MetricsSettings


def test_defaults_are_complete():
    settings = MetricsSettings.load({})
    assert settings.listen == "127.0.0.1:7740"
    assert 2 * settings.max_image_bytes <= settings.max_request_bytes


def test_more_pixels_than_pillow_reads_cannot_be_allowed():
    with pytest.raises(SettingsError, match=r"max.image.pixels"):
        MetricsSettings.load({"max_image_pixels": "200000000"})


def test_help_imports_nothing_heavy():
    program = (
        "import sys; import i2s_metrics.__main__\n"
        "print({'numpy', 'PIL', 'ot', 'skimage', 'grpc'} & set(sys.modules))"
    )
    shown = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert shown.stdout.strip() == "set()"
