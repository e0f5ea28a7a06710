"""Services started here as child processes, or running ones that were named."""

from i2s_sdk.stack.services import Services, open_services

__all__ = ["Services", "open_services"]
