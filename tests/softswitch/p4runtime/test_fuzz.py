"""The switch answers any request and continues. SOFTSWITCH_FUZZ is the number of requests; SEED selects them."""

from __future__ import annotations

import os

from lab.conformance.fuzzing.malformed import ANSWERS, Requests, answers
from tests.support.p4runtime_client import TEMPLATES, Client, config, entity, open_stream

REQUESTS = int(os.environ.get("SOFTSWITCH_FUZZ", "3000"))
SEED = int(os.environ.get("SEED", "1"))


def test_every_request_is_answered(client: Client) -> None:
    primary = open_stream(client, 1)
    primary.standing()
    client.election_id = 1
    client.push(config("probe"))
    requests = Requests(config("probe"), [entity(text) for text in TEMPLATES], SEED)
    for number in range(REQUESTS):
        request = requests.next()
        codes = answers(client.channel, request)
        assert codes <= ANSWERS, (number, codes, request)
    client.push(config("probe"))
    assert len(client.read("table_entry {}")) == 2
