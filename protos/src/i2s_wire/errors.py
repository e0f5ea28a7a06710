"""What is wrong with a message that is outside the contract.

::

    ContractError               a message holds something that the contract does not allow
    └── UnknownValueError       a number that no member of the enum has
"""

from __future__ import annotations


class ContractError(ValueError):
    """A message holds something that the contract does not allow; the text says what."""


class UnknownValueError(ContractError):
    """A number that no member of the enum has: the peer has a newer version of the contract.

    Attributes:
        field: Path of the field in the message, such as "error.kind".
        number: Its value.
    """

    def __init__(self, field: str, number: int) -> None:
        super().__init__(f"{field} = {number}, which is not a known value")
        self.field, self.number = field, number
