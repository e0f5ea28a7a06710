"""``python -m i2s_sdk.cli`` is ``i2s-sdk``."""

from i2s_sdk.cli.main import main

main()
