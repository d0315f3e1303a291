"""Types whose values are strings for controllers (p4runtime_translation to a string), and numbers for the device."""

from __future__ import annotations

from google.rpc import code_pb2

from dropzero.softswitch.p4runtime.pipeline.refusal import Refusal, invalid

MOST = 1 << 16
"""Strings for one type: clients choose them, and they stay as long as the pipeline."""


class Strings:
    """The strings of one type and the numbers they stand for, one for each (P4Runtime, "Translation of Port Numbers"
    and "user-defined types").

    What is a decimal number stands for that number while it is free, so "3" is port 3; the empty string likewise for 0.
    Any other string takes the lowest number from 1 on that is free. A number that came from the device first is written
    in decimal.
    """

    def __init__(self, type_name: str) -> None:
        self.type_name = type_name
        self.width = 0
        """Of the device's numbers, in bits; 0 while that is not known."""
        self._numbers: dict[str, int] = {}
        self._strings: dict[int, str] = {}
        self._next = 1

    def fit(self, width: int) -> None:
        """Has the numbers be as wide as the narrowest that anything in the device has for this type."""
        self.width = min(width, self.width or width)

    def number(self, content: bytes) -> int:
        """What a string, in UTF-8, stands for, from now on. Raises Refusal."""
        try:
            string = content.decode()
        except UnicodeDecodeError:
            raise invalid(f"A value of type {self.type_name!r} is a string in UTF-8, not {content!r}") from None
        if string not in self._numbers:
            self._pair(string, self._choose(string))
        return self._numbers[string]

    def string(self, number: int) -> bytes:
        """What stands for a number, in UTF-8."""
        if number not in self._strings:
            self._pair(str(number), number)
        return self._strings[number].encode()

    def take_over(self, other: Strings) -> None:
        """Has the same strings stand for the same numbers as in `other`."""
        self._numbers, self._strings, self._next = dict(other._numbers), dict(other._strings), other._next

    def _choose(self, string: str) -> int:
        # Longer ones are no port's, and Python refuses to read them.
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
