"""Text that members give, as other people can read it."""

from __future__ import annotations


def one_line(text: str, most: int) -> str:
    """Returns a member's text as one line of at most `most` characters. Escapes, such as `\\n`, stand for what a
    terminal would not show as a character: controls, line ends, marks of direction."""
    shown = (each if each.isprintable() else each.encode("unicode_escape").decode() for each in text[:most])
    return "".join(shown)[:most]
