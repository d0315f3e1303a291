"""The blocks of the tutorial are executed, word for word: apart from other documents, to run at the same time."""

from __future__ import annotations

import os

import pytest

from tests.support.blocks import TUTORIAL, Block, Machine, blocks, documents

BLOCKS = [block for file in documents() if file.startswith(TUTORIAL) for block in blocks(file)]


@pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")
@pytest.mark.parametrize("block", [block for block in BLOCKS if block.kind not in ("text", "p4")], ids=str)
def test_a_step_works_after_those_before_it(block: Block, machine: Machine) -> None:
    if block.reason:
        pytest.skip(block.reason)
    match block.kind:
        case "sh":
            machine.run(block.text)
        case "sh terminals":
            machine.open(block.text)
        case kind:
            pytest.fail(f"{block}: nothing here executes {kind}")
