"""A sequence diagram in a terminal: a column for each host and switch, and an arrow for each message."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from rich.text import Text

from dropzero.protocol.wire import Kind
from dropzero.traces.message import Message

TIME, WORDS = 10, 32
"""Characters of the time and, at least, of a message's text."""
NARROWEST, WIDEST = 5, 11
"""The least and the most characters of a column."""
STYLES = {Kind.CONTRIBUTION: "blue", Kind.RESULT: "green"}
"""Styles of the common kinds; the others are RARE."""
RARE, LOST = "magenta", "bold red"


def fitting(width: int) -> int:
    """How many columns fit into `width` characters."""
    return (width - TIME - WORDS) // NARROWEST


def diagram(names: Sequence[str], messages: Iterable[Message], start: int, width: int) -> Iterator[Text]:
    """Yields the lines of the diagram; the first has the names.

    Equal messages from one sender to several receivers share a line.

    Args:
        names: of the columns. Messages from or to other nodes are left out.
        messages: ordered by time.
        start: the time shown as 0, in microseconds since the Unix epoch.
        width: in characters.
    """
    pitch = max(NARROWEST, min(WIDEST, (width - TIME - WORDS) // len(names)))
    places = {name: pitch * index + pitch // 2 for index, name in enumerate(names)}
    yield Text(f"{'ms':>{TIME - 2}}  " + "".join(f"{name[: pitch - 1]:^{pitch}}" for name in names).rstrip(), "bold")
    shown = [each for each in messages if each.sender in places and each.receiver in places]
    for _, group in groupby(shown, _together):
        sent = list(group)
        first = sent[0]
        line = Text(f"{(first.time - start) / 1000:{TIME - 2}.3f}  ")
        style = LOST if first.lost else STYLES.get(first.packet.kind, RARE)
        ends = [places[each.receiver] for each in sent]
        line.append_text(_arrow(places, places[first.sender], ends, pitch, first, style))
        remarks = ", ".join(["again"] * first.again + ["lost"] * first.lost)
        line.append(f" ({remarks}) {first.text}" if remarks else f" {first.text}", style)
        line.truncate(width, overflow="ellipsis")
        yield line


def _together(message: Message) -> object:
    """The key of a message: consecutive messages with equal keys share a line."""
    packet = message.packet
    # Other messages have a key of their own.
    alone = id(message) if message.again or message.lost or packet.kind is not Kind.RESULT else 0
    return message.sender, packet.kind, packet.epoch, packet.round, packet.mask, alone


def _arrow(places: dict[str, int], start: int, ends: list[int], pitch: int, message: Message, style: str) -> Text:
    line = ["│" if at in places.values() else " " for at in range(pitch * len(places))]
    drawn = range(min(start, *ends), max(start, *ends) + 1)
    for at in drawn:
        line[at] = ("┄" if message.again else "─") if line[at] == " " else "┼"
    line[start] = "┼" if min(ends) < start < max(ends) else "├" if start < max(ends) else "┤"
    for end in ends:
        line[end] = "▶" if end > start else "◀"
    if message.lost:
        # The arrow ends on the way.
        (end,), step = ends, 1 if ends[0] > start else -1
        line[end] = "│"
        line[end - step] = " "
        line[end - 2 * step] = "✕"
    text = Text("".join(line), "dim")
    text.stylize("not dim", drawn.start, drawn.stop)
    text.stylize(style, drawn.start, drawn.stop)
    return text
