"""Random programs: what is in them."""

from __future__ import annotations

from lab.conformance.generated.program import source

SOME = "".join(source(seed) for seed in range(150))
LANGUAGE = [
    "header_union",
    "varbit<",
    "hdr.s.next",
    "hdr.s.last",
    "lookahead<",
    "advance(",
    "verify(",
    "&&&",
    "verify_checksum",
    "update_checksum",
    "_with_payload",
    "bit<200>",
    "int<129>",
    "|+|",
    "|-|",
    "++",
    ">>",
    "?",
    "[7:",
    "exact;",
    "lpm;",
    "ternary;",
    "range;",
    "optional;",
    "selector;",
    "entries",
    "action_profile(",
    "action_run",
    ".hit)",
    "register<",
    "execute_meter",
    "direct_meter",
    "direct_counter",
    ".count(",
    "hash(",
    "digest<",
    "I2E",
    "E2E",
    "resubmit",
    "recirculate",
    "@field_list",
    "mcast_grp",
    "truncate(",
    "std.priority",
    "push_front",
    "pop_front",
    "setInvalid",
    "mark_to_drop",
    "exit;",
    "return;",
    "std.parser_error",
]


def test_equal_seeds_give_equal_programs_and_other_seeds_other_ones() -> None:
    assert source(3) == source(3) != source(4)


def test_programs_use_the_whole_language() -> None:
    assert [text for text in LANGUAGE if text not in SOME] == []


def test_every_line_is_a_statement_or_the_beginning_or_end_of_a_block() -> None:
    lines = SOME.splitlines()
    assert sum(line.endswith("{") for line in lines) == sum(line.strip() == "}" for line in lines)
    assert {line[-1] for line in lines if not line.startswith(("#", "error {"))} == set("{};")
