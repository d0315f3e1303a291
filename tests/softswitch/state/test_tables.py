"""Lookups in tables, and updates that they refuse."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dropzero.softswitch.engine.engine import Engine
from dropzero.softswitch.program.model import ActionCall, Exact, Lpm, Match, Range, Ternary
from dropzero.softswitch.state.tables.table_error import TableError, TableErrorKind
from dropzero.softswitch.state.tables.tables import Table
from tests.support.bmv2_program import (
    Bmv2Program,
    assign,
    constant,
    extract,
    field,
    key,
    operation,
    parameter,
    primitive,
    run,
    standard,
)

WIDTHS = {"a": 9, "b": 72}


def engine_with(kinds: tuple[str, ...], kind: str, **more: Any) -> Engine:
    """An engine whose table `t` over the fields a and b writes a number into the packet's last two bytes."""
    program = Bmv2Program(None, h={"pad": 7, **WIDTHS}, out={"v": 16})
    program.state("start", extract("h"), extract("out"))
    program.action("NoAction")
    program.action("answer", assign(field("out", "v"), parameter(0)), v=16)
    program.action("twice", assign(field("out", "v"), operation("+", parameter(0), parameter(1))), v=72, w=8)
    keys = tuple(key(field("h", name), each) for name, each in zip(WIDTHS, kinds, strict=False))
    options = {"default": "NoAction", "size": 200, **more}
    program.table("t", ["NoAction", "answer", "twice"], keys=keys, kind=kind, **options)
    return program.engine()


def asked(engine: Engine, *questions: tuple[int, int]) -> list[int]:
    """Looks up values of a and b. Returns the answers; 0 for a miss."""
    packets = [(a << 72 | b).to_bytes(11, "big") + b"\0\0" for a, b in questions]
    return [int.from_bytes(content[-2:], "big") for _, content in run(engine, *packets)]


@pytest.fixture
def exact() -> Table:
    return engine_with(("exact", "exact"), "exact", size=3).tables["t"]


def refusal(error: pytest.ExceptionInfo[TableError]) -> TableErrorKind:
    return error.value.kind


class TestExact:
    """Tables with only exact keys."""

    def test_an_entry_is_found_until_it_is_deleted(self) -> None:
        engine = engine_with(("exact", "exact"), "exact")
        table = engine.tables["t"]
        table.insert((Exact(1), Exact(1 << 71)), "answer", (5,))
        assert asked(engine, (1, 1 << 71), (1, 1), (0, 1 << 71)) == [5, 0, 0]
        table.modify((Exact(1), Exact(1 << 71)), "twice", (1 << 65 | 30, 12))
        assert asked(engine, (1, 1 << 71)) == [42]
        table.delete((Exact(1), Exact(1 << 71)))
        assert asked(engine, (1, 1 << 71)) == [0]
        assert list(table) == []

    @settings(max_examples=30)
    @given(st.lists(st.tuples(st.booleans(), st.integers(0, 15), st.integers(0, 3)), max_size=120))
    def test_it_holds_what_a_dictionary_holds(self, changes: list[tuple[bool, int, int]]) -> None:
        engine, model = self.shared(), dict[tuple[int, int], int]()
        table = engine.tables["t"]
        table.clear()
        for number, (add, a, b) in enumerate(changes, start=1):
            match = (Exact(a), Exact(b))
            if add and (a, b) not in model:
                table.insert(match, "answer", (number,))
                model[a, b] = number
            elif not add and (a, b) in model:
                table.delete(match)
                del model[a, b]
        questions = [(a, b) for a in range(16) for b in range(4)]
        assert asked(engine, *questions) == [model.get(question, 0) for question in questions]
        assert {(entry.match, entry.parameters) for entry in table} == {
            ((Exact(a), Exact(b)), (number,)) for (a, b), number in model.items()
        }

    engine: Engine | None = None

    @classmethod
    def shared(cls) -> Engine:
        """Compiled once for all examples."""
        cls.engine = cls.engine or engine_with(("exact", "exact"), "exact")
        return cls.engine

    def test_a_reused_row_does_not_keep_the_timeout_of_its_last_entry(self, exact: Table) -> None:
        for turn, timeout in enumerate((5, 0)):
            for number in range(3):
                exact.insert((Exact(turn), Exact(number)), "answer", (7,), timeout=timeout)
            assert [entry.timeout for entry in exact.entries()] == [timeout] * 3
            for number in range(3):
                exact.delete((Exact(turn), Exact(number)))

    def test_a_large_table_finds_every_entry(self) -> None:
        engine = engine_with(("exact", "exact"), "exact", size=20000)
        for at in range(20000):
            engine.tables["t"].insert((Exact(at & 511), Exact(at << 40)), "answer", (at,))
        questions = [(at & 511, at << 40) for at in range(20000)]
        assert asked(engine, *questions) == list(range(20000))

    def test_a_static_mask_hides_bits_of_the_field(self) -> None:
        program = Bmv2Program(None, h={"a": 8})
        program.state("start", extract("h"))
        program.action("NoAction")
        program.action("send", assign(standard("egress_spec"), parameter(0)), port=9)
        program.table("t", ["NoAction", "send"], keys=(key(field("h", "a"), mask=0x0F),), default="NoAction")
        engine = program.engine()
        engine.tables["t"].insert((Exact(3),), "send", (9,))
        assert run(engine, b"\xf3", b"\x04") == [(9, b"\xf3"), (0, b"\x04")]


def prefixes() -> st.SearchStrategy[Lpm]:
    def of(length: int, value: int) -> Lpm:
        return Lpm(value >> 72 - length << 72 - length, length)

    lengths = st.sampled_from([0, 1, 2, 8, 70, 71, 72])
    return st.builds(of, lengths, st.sampled_from([0, 1, 3, 1 << 71, 3 << 70, (1 << 72) - 1]))


def masks(width: int) -> st.SearchStrategy[Ternary]:
    values = st.integers(0, (1 << width) - 1)
    some = st.sampled_from([0, 1, 3, 1 << width - 1, (1 << width) - 1])
    return st.builds(lambda value, mask: Ternary(value & mask, mask), st.one_of(values, some), some)


def intervals(width: int) -> st.SearchStrategy[Range]:
    bounds = st.tuples(*[st.sampled_from([0, 1, 2, 1 << width - 1, (1 << width) - 1])] * 2)
    return bounds.map(lambda pair: Range(min(pair), max(pair)))


def holds(match: Match, value: int, width: int) -> bool:
    match match:
        case Exact():
            return value == match.value
        case Lpm():
            return value >> width - match.prefix_length == match.value >> width - match.prefix_length
        case Ternary():
            return value & match.mask == match.value
        case Range():
            return match.low <= value <= match.high


questions = st.tuples(
    st.sampled_from([0, 1, 2, 3, 256, 511]), st.sampled_from([0, 1, 2, 3, 1 << 71, 3 << 70, (1 << 72) - 1])
)


class TestScans:
    """Tables with masks, prefixes or ranges."""

    engines: dict[str, Engine] = {}  # noqa: RUF012 (compiled once for all examples)

    def engine(self, kinds: tuple[str, ...], kind: str) -> Engine:
        name = f"{kinds} {kind}"
        if name not in self.engines:
            self.engines[name] = engine_with(kinds, kind)
        self.engines[name].tables["t"].clear()
        return self.engines[name]

    @settings(max_examples=30)
    @given(
        st.lists(st.tuples(st.sampled_from([0, 1]).map(Exact), prefixes()), unique=True, max_size=12),
        st.lists(questions, min_size=1, max_size=20),
    )
    def test_the_longest_prefix_wins(self, entries: list[tuple[Exact, Lpm]], asks: list[tuple[int, int]]) -> None:
        engine = self.engine(("exact", "lpm"), "lpm")
        for number, match in enumerate(entries, start=1):
            engine.tables["t"].insert(match, "answer", (number,))

        def best(a: int, b: int) -> int:
            found = [
                (lpm.prefix_length, number)
                for number, (first, lpm) in enumerate(entries, start=1)
                if holds(first, a, 9) and holds(lpm, b, 72)
            ]
            return max(found, default=(0, 0))[1]

        assert asked(engine, *asks) == [best(*ask) for ask in asks]

    @settings(max_examples=30)
    @given(
        data=st.data(),
        kinds=st.sampled_from([("ternary", "ternary"), ("range", "ternary"), ("ternary", "lpm"), ("range", "range")]),
        asks=st.lists(questions, min_size=1, max_size=20),
    )
    def test_the_highest_priority_wins_and_then_the_oldest(
        self, data: st.DataObject, kinds: tuple[str, str], asks: list[tuple[int, int]]
    ) -> None:
        engine = self.engine(kinds, "range" if "range" in kinds else "ternary")
        parts: dict[str, Callable[[int], st.SearchStrategy[Any]]] = {
            "ternary": masks,
            "range": intervals,
            "lpm": lambda _: prefixes(),
        }
        entry = st.tuples(parts[kinds[0]](9), parts[kinds[1]](72), st.integers(1, 3))
        entries = data.draw(st.lists(entry, unique=True, max_size=12))
        gone = data.draw(st.sets(st.integers(0, len(entries))))
        for number, (first, second, priority) in enumerate(entries, start=1):
            engine.tables["t"].insert((first, second), "answer", (number,), priority)
        for number, (first, second, priority) in enumerate(entries, start=1):
            if number in gone:
                engine.tables["t"].delete((first, second), priority)

        def best(a: int, b: int) -> int:
            found = [
                (priority, -number)
                for number, (first, second, priority) in enumerate(entries, start=1)
                if number not in gone and holds(first, a, 9) and holds(second, b, 72)
            ]
            return -max(found, default=(0, 0))[1]

        assert asked(engine, *asks) == [best(*ask) for ask in asks]


def drawn(rng: random.Random, kind: str, width: int) -> Match:
    """Draws a match from few masks and values, so that many entries overlap; rarely one that matches anything."""
    full = (1 << width) - 1
    value = rng.choice([0, 1, 5, full, rng.randrange(64), rng.randrange(64) << width - 6])
    length = rng.choices([0, 3, width - 6, width], [1, 3, 20, 20])[0]
    match kind:
        case "exact":
            return Exact(value)
        case "lpm":
            return Lpm(value & (full ^ full >> length), length)
        case "ternary":
            mask = rng.choices([1, 7, full ^ full >> length, full], [1, 3, 20, 20])[0]
            return Ternary(value & mask, mask)
        case _:
            other = rng.choices([value, full, value ^ 3, value + 3 & full], [20, 1, 20, 3])[0]
            return Range(min(value, other), max(value, other))


@pytest.mark.parametrize(
    ("kinds", "kind"),
    [
        (("exact", "lpm"), "lpm"),
        (("ternary", "ternary"), "ternary"),
        (("exact", "ternary"), "ternary"),
        (("ternary", "lpm"), "ternary"),
        (("range", "ternary"), "range"),
        (("range", "range"), "range"),
    ],
)
def test_the_best_of_a_thousand_changing_entries_is_found(kinds: tuple[str, str], kind: str) -> None:
    rng = random.Random(1)
    engine = engine_with(kinds, kind, size=1000)
    table = engine.tables["t"]
    entries: dict[tuple[tuple[Match, Match], int], tuple[int, int]] = {}
    for number in range(1, 4000):
        match = (drawn(rng, kinds[0], 9), drawn(rng, kinds[1], 72))
        priority = rng.randrange(1, 20) if table.prioritized else 0
        if (match, priority) in entries:
            table.delete(match, priority)
            del entries[match, priority]
        elif len(entries) < 1000:
            table.insert(match, "answer", (number,), priority)
            lengths = sum(part.prefix_length for part in match if isinstance(part, Lpm))
            entries[match, priority] = (priority or lengths, -number)
        if rng.random() < 0.3:
            match, priority = rng.choice(list(entries))
            table.delete(match, priority)
            del entries[match, priority]

    def best(a: int, b: int) -> int:
        found = (rank for ((first, second), _), rank in entries.items() if holds(first, a, 9) and holds(second, b, 72))
        return -max(found, default=(0, 0))[1]

    values = {width: [0, 1, 5, *range(8, 40, 3), *(at << width - 6 for at in range(1, 64, 5))] for width in (9, 72)}
    asks = [(rng.choice(values[9]), rng.choice(values[72])) for _ in range(150)]
    answers = [best(*ask) for ask in asks]
    assert len(set(answers)) > 5
    assert asked(engine, *asks) == answers
    assert {(entry.match, entry.priority): entry.parameters for entry in table} == {
        key: (-rank[1],) for key, rank in entries.items()
    }
    table.clear()
    assert asked(engine, *asks[:20]) == [0] * 20


class TestConstantEntries:
    """Entries that the program declares."""

    def table(self, *entries: tuple[int, int, int, int], kind: str = "ternary") -> Engine:
        """An engine with entries (value, mask, priority in the JSON, answer)."""
        given_entries = [
            {
                "match_key": [{"match_type": "ternary", "key": hex(value), "mask": hex(mask)}],
                "action_entry": {"action_id": 1, "action_data": [hex(answer)]},
                "priority": priority,
            }
            for value, mask, priority, answer in entries
        ]
        return engine_with((kind,), kind, entries=given_entries)

    def test_in_the_json_the_lower_priority_wins(self) -> None:
        engine = self.table((1, 1, 2, 20), (3, 3, 1, 10))
        assert asked(engine, (3, 0), (1, 0), (2, 0)) == [10, 20, 0]

    def test_they_stay(self) -> None:
        table = self.table((1, 1, 2, 20)).tables["t"]
        changes: tuple[Callable[[], object], ...] = (
            lambda: table.insert((Ternary(2, 2),), "answer", (1,), 1),
            lambda: table.modify((Ternary(1, 1),), "answer", (1,), 1),
            lambda: table.delete((Ternary(1, 1),), 1),
        )
        for change in changes:
            with pytest.raises(TableError) as error:
                change()
            assert refusal(error) is TableErrorKind.IMMUTABLE
        table.clear()
        assert len(table) == 1


class TestDefaults:
    """Default actions."""

    def test_it_can_be_changed_and_reset(self) -> None:
        engine = engine_with(("exact",), "exact", default="answer", data=(7,))
        table = engine.tables["t"]
        assert asked(engine, (1, 0)) == [7]
        table.set_default("twice", (1, 2))
        assert table.default == ActionCall("twice", (1, 2))
        assert asked(engine, (1, 0)) == [3]
        table.reset_default()
        assert asked(engine, (1, 0)) == [7]

    def test_a_table_without_keys_runs_its_default(self) -> None:
        engine = engine_with((), "exact", default="answer", data=(7,))
        assert asked(engine, (1, 0)) == [7]
        engine.tables["t"].set_default("answer", (8,))
        assert asked(engine, (1, 0)) == [8]

    def test_a_table_may_have_none(self) -> None:
        engine = engine_with(("exact",), "exact", default=None)
        assert engine.tables["t"].default is None
        assert asked(engine, (1, 0)) == [0]
        engine.tables["t"].set_default("answer", (8,))
        assert asked(engine, (1, 0)) == [8]
        engine.tables["t"].reset_default()
        assert asked(engine, (1, 0)) == [0]

    @pytest.mark.parametrize("keys", [(), ("exact",)])
    def test_a_constant_one_stays(self, keys: tuple[str, ...]) -> None:
        engine = engine_with(keys, "exact", default="answer", data=(7,), const=True)
        table = engine.tables["t"]
        changes: tuple[Callable[[], object], ...] = (lambda: table.set_default("answer", (8,)), table.reset_default)
        for change in changes:
            with pytest.raises(TableError) as error:
                change()
            assert refusal(error) is TableErrorKind.CONST_DEFAULT
        assert asked(engine, (1, 0)) == [7]


class TestRefusals:
    """Every refusal gives a reason, and changes nothing."""

    MATCH = (Exact(1), Exact(2))

    def test_duplicates(self, exact: Table) -> None:
        exact.insert(self.MATCH, "answer", (1,))
        with pytest.raises(TableError, match="t already has an entry") as error:
            exact.insert(self.MATCH, "answer", (2,))
        assert refusal(error) is TableErrorKind.DUPLICATE
        assert exact.entry(self.MATCH).parameters == (1,)

    def test_one_entry_too_many(self, exact: Table) -> None:
        for at in range(3):
            exact.insert((Exact(at), Exact(0)), "NoAction")
        with pytest.raises(TableError, match="t has room for 3 entries only") as error:
            exact.insert(self.MATCH, "NoAction")
        assert refusal(error) is TableErrorKind.FULL
        exact.delete((Exact(0), Exact(0)))
        exact.insert(self.MATCH, "NoAction")

    def test_what_is_not_there(self, exact: Table) -> None:
        changes: tuple[Callable[[], object], ...] = (
            lambda: exact.modify(self.MATCH, "answer", (1,)),
            lambda: exact.delete(self.MATCH),
            lambda: exact.entry(self.MATCH),
        )
        for change in changes:
            with pytest.raises(TableError) as error:
                change()
            assert refusal(error) is TableErrorKind.NOT_FOUND

    @pytest.mark.parametrize(
        ("match", "action", "parameters", "priority", "kind"),
        [
            (MATCH, "nothing", (), 0, TableErrorKind.UNKNOWN_ACTION),
            (MATCH, "answer", (), 0, TableErrorKind.PARAMETER_COUNT),
            (MATCH, "answer", (1 << 16,), 0, TableErrorKind.PARAMETER_VALUE),
            (MATCH, "answer", (-1,), 0, TableErrorKind.PARAMETER_VALUE),
            (MATCH[:1], "answer", (1,), 0, TableErrorKind.KEY_COUNT),
            ((Exact(1), Ternary(2, 3)), "answer", (1,), 0, TableErrorKind.KEY_KIND),
            ((Exact(1 << 9), Exact(2)), "answer", (1,), 0, TableErrorKind.KEY_VALUE),
            (MATCH, "answer", (1,), 1, TableErrorKind.PRIORITY),
        ],
    )
    def test_wrong_arguments(
        self,
        exact: Table,
        match: tuple[Match, ...],
        action: str,
        parameters: tuple[int, ...],
        priority: int,
        kind: TableErrorKind,
    ) -> None:
        with pytest.raises(TableError) as error:
            exact.insert(match, action, parameters, priority)
        assert refusal(error) is kind
        assert len(exact) == 0

    @pytest.mark.parametrize(
        ("keys", "match", "priority", "kind"),
        [
            ("lpm", Lpm(1, 3), 0, TableErrorKind.KEY_VALUE),
            ("lpm", Lpm(0, 10), 0, TableErrorKind.KEY_VALUE),
            ("ternary", Ternary(3, 1), 1, TableErrorKind.KEY_VALUE),
            ("range", Range(3, 2), 1, TableErrorKind.KEY_VALUE),
            ("ternary", Ternary(1, 1), 0, TableErrorKind.PRIORITY),
        ],
    )
    def test_wrong_matches(self, keys: str, match: Match, priority: int, kind: TableErrorKind) -> None:
        table = engine_with((keys,), keys).tables["t"]
        with pytest.raises(TableError) as error:
            table.insert((match,), "answer", (1,), priority)
        assert refusal(error) is kind

    def test_entries_of_a_table_whose_constant_call_is_compiled_in(self) -> None:
        table = engine_with((), "exact", default="answer", data=(7,), const=True).tables["t"]
        with pytest.raises(TableError) as error:
            table.insert((), "answer", (1,))
        assert refusal(error) is TableErrorKind.IMMUTABLE


def test_a_direct_counter_counts_the_hits_of_each_entry() -> None:
    engine = engine_with(("exact",), "exact", with_counters=True)
    table = engine.tables["t"]
    table.insert((Exact(1),), "answer", (5,))
    table.insert((Exact(2),), "answer", (6,))
    asked(engine, (1, 0), (2, 0), (1, 0), (3, 0))
    assert [(entry.packets, entry.bytes) for entry in table] == [(2, 26), (1, 13)]
    table.modify((Exact(1),), "answer", (9,))
    table.set_counts((Exact(2),), 0, 0, 0)
    assert [(entry.packets, entry.bytes) for entry in table] == [(2, 26), (0, 0)]
    table.delete((Exact(1),))
    table.insert((Exact(1),), "answer", (9,))
    assert table.entry((Exact(1),)).packets == 0


def test_the_next_node_is_by_hit_or_by_action() -> None:
    program = Bmv2Program(None, h={"a": 8})
    program.state("start", extract("h"))
    program.action("NoAction")
    program.table("t", ["NoAction"], keys=(key(field("h", "a")),), default="NoAction", hit="found", miss="missed")
    program.call("found", assign(standard("egress_spec"), {"type": "hexstr", "value": "0x3"}))
    program.call("missed", primitive("mark_to_drop", {"type": "header", "value": "standard_metadata"}))
    engine = program.engine()
    engine.tables["t"].insert((Exact(1),), "NoAction")
    assert run(engine, b"\x01", b"\x02") == [(3, b"\x01")]


def test_two_tables_may_use_the_same_action_with_their_own_parameters() -> None:
    program = Bmv2Program(None, h={"a": 8, "b": 8})
    program.state("start", extract("h"))
    program.action("add", assign(field("h", "b"), operation("+", field("h", "b"), parameter(0))), v=8)
    program.table("t", ["add"], keys=(key(field("h", "a")),), default="add", data=(1,), following="u")
    program.table("u", ["add"], keys=(key(field("h", "a")),), default="add", data=(2,))
    engine = program.engine()
    engine.tables["t"].insert((Exact(1),), "add", (10,))
    engine.tables["u"].insert((Exact(1),), "add", (20,))
    assert run(engine, b"\x00\x00", b"\x01\x00") == [(0, b"\x00\x03"), (0, b"\x01\x1e")]


def test_every_packet_hits_the_entry_of_a_table_without_keys() -> None:
    program = Bmv2Program(None, h={"x": 8})
    program.state("start", extract("h"))
    program.action("set", assign(field("h", "x"), parameter(0)), value=8)
    program.action("nothing")
    program.action("hit", assign(standard("egress_spec"), constant(5)))
    program.table("t", ["set", "nothing"], default="nothing", hit="was_hit", miss=None, with_counters=True)
    program.table("was_hit", ["hit"], default="hit", const=True)
    engine = program.engine()
    table = engine.tables["t"]
    assert run(engine, b"\1") == [(0, b"\1")]
    table.insert((), "set", (7,))
    assert run(engine, b"\1", b"\2") == [(5, b"\7"), (5, b"\7")]
    assert [(entry.match, entry.parameters, entry.packets) for entry in table] == [((), (7,), 2)]
    with pytest.raises(TableError) as error:
        table.insert((), "set", (8,))
    assert error.value.kind is TableErrorKind.DUPLICATE
    table.delete(())
    assert run(engine, b"\1") == [(0, b"\1")]
    with pytest.raises(TableError) as error:
        engine.tables["was_hit"].insert((), "hit")
    assert error.value.kind is TableErrorKind.IMMUTABLE, "p4c makes such tables of statements"
