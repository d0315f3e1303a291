"""Types translated to strings: controllers write strings (sdn_string), the device has numbers."""

from __future__ import annotations

from google.rpc import code_pb2

from dropzero.softswitch.p4runtime.pipeline.refusal import Refusal, invalid

MOST = 1 << 16
"""Limits the strings of a type: clients choose them, and they live as long as the pipeline."""


class Strings:
    """A one-to-one map between the strings and the numbers of a type, filled as they are first used.

    A decimal number stands for itself and the empty string for 0, if that number is free: "3" is port 3. Any other
    string is assigned the lowest free number, starting at 1. A number of the device that no string was assigned becomes
    its decimal string.
    """

    def __init__(self, type_name: str) -> None:
        self.type_name = type_name
        self.width = 0
        """Bits of the device's numbers; 0 if unknown."""
        self._numbers: dict[str, int] = {}
        self._strings: dict[int, str] = {}
        self._next = 1

    def fit(self, width: int) -> None:
        """Bounds the numbers to `width` bits. The narrowest field of the type counts."""
        self.width = min(width, self.width or width)

    def number(self, content: bytes) -> int:
        """The number of a string in UTF-8, assigned if it has none. Raises Refusal."""
        try:
            string = content.decode()
        except UnicodeDecodeError:
            raise invalid(f"A value of type {self.type_name!r} is a string in UTF-8, not {content!r}") from None
        if string not in self._numbers:
            self._pair(string, self._choose(string))
        return self._numbers[string]

    def string(self, number: int) -> bytes:
        """The string of a number, in UTF-8, assigned if it has none."""
        if number not in self._strings:
            self._pair(str(number), number)
        return self._strings[number].encode()

    def take_over(self, other: Strings) -> None:
        """Copies the assignments of `other`."""
        self._numbers, self._strings, self._next = dict(other._numbers), dict(other._strings), other._next

    def _choose(self, string: str) -> int:
        # A longer number is not a port, and Python refuses to convert it.
        meant = int(string or "0") if (string or "0").isdecimal() and len(string) < 99 else 0
        if string in ("", str(meant)) and not meant >> self.width and meant not in self._strings:
            return meant
        while self._next in self._strings:
            self._next += 1
        if self._next >> self.width or len(self._numbers) >= MOST:
            raise Refusal(
                code_pb2.RESOURCE_EXHAUSTED,
                f"No more strings of type {self.type_name!r} have room in {self.width} bits",
            )
        return self._next

    def _pair(self, string: str, number: int) -> None:
        self._numbers[string] = number
        self._strings[number] = string
