"""The verbs for multicast, mirroring, queues and the time."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from dropzero.softswitch.runtime_cli.arguments import at_least, integer
from dropzero.softswitch.runtime_cli.declarations import Wrong
from dropzero.softswitch.runtime_cli.verbs import CONTEXT, LINE, STARS, Verbs
from dropzero.softswitch.thrift.wire import Value, i32, i64, record, string


class ReplicationVerbs(Verbs):
    def do_mc_mgrp_create(self, mgid: int) -> None:
        """Create a multicast group: mc_mgrp_create <group id>"""
        print("Creating multicast group", mgid)
        self._multicast("bm_mc_mgrp_create", i32(mgid))

    def do_mc_mgrp_destroy(self, mgid: int) -> None:
        """Delete a multicast group: mc_mgrp_destroy <group id>"""
        print("Destroying multicast group", mgid)
        self._multicast("bm_mc_mgrp_destroy", i32(mgid))

    def do_mc_node_create(self, rid: int, *words: str) -> None:
        """Create a node, whose copies have an instance number: mc_node_create <rid> <ports> [| <lags>]"""
        ports, lags = _ports_and_lags(words)
        print("Creating node with rid", rid, ", port map", ports, "and lag map", lags)
        node = self._multicast("bm_mc_node_create", i32(rid), string(ports), string(lags))
        print("node was created with handle", node)

    def do_mc_node_update(self, node: int, first: str, *others: str) -> None:
        """Change a node's ports: mc_node_update <node handle> <ports> [| <lags>]"""
        ports, lags = _ports_and_lags([first, *others])
        print("Updating node", node, "with port map", ports, "and lag map", lags)
        self._multicast("bm_mc_node_update", i32(node), string(ports), string(lags))

    def do_mc_node_associate(self, mgid: int, node: int) -> None:
        """Add a node to a multicast group: mc_node_associate <group id> <node handle>"""
        print("Associating node", node, "to multicast group", mgid)
        self._multicast("bm_mc_node_associate", i32(mgid), i32(node))

    def do_mc_node_dissociate(self, mgid: int, node: int) -> None:
        """Remove a node from a multicast group: mc_node_dissociate <group id> <node handle>"""
        print("Dissociating node", node, "from multicast group", mgid)
        self._multicast("bm_mc_node_dissociate", i32(mgid), i32(node))

    def do_mc_node_destroy(self, node: int) -> None:
        """Delete a node: mc_node_destroy <node handle>"""
        print("Destroying node", node)
        self._multicast("bm_mc_node_destroy", i32(node))

    def do_mc_dump(self, line: str) -> None:
        """Show all multicast groups and their nodes: mc_dump"""
        found = json.loads(self._multicast("bm_mc_get_entries"))
        nodes = {each["handle"]: each for each in found["l1_handles"]}
        members = {each["handle"]: each for each in found["l2_handles"]}
        print(LINE)
        print("MC ENTRIES")
        for group in found["mgrps"]:
            print(STARS)
            print(f"mgrp({group['id']})")
            for handle in group["l1_handles"]:
                each = members[nodes[handle]["l2_handle"]]
                print(
                    f"  -> (L1h={handle}, rid={nodes[handle]['rid']}) "
                    f"-> (ports=[{_joined(each['ports'])}], lags=[{_joined(each['lags'])}])"
                )
        print(LINE)
        print("LAGS")
        for lag in found["lags"]:
            print(f"lag({lag['id']}) -> ports=[{_joined(lag['ports'])}]")
        print(LINE)

    def do_mirroring_add(self, session: int, egress_port: int) -> None:
        """Mirror packets of a session to a port: mirroring_add <session> <port>"""
        self._switch("mirroring_session_add", i32(session), record({1: i32(egress_port)}))

    def do_mirroring_add_mc(self, session: int, mgrp: int) -> None:
        """Mirror packets of a session to a multicast group: mirroring_add_mc <session> <group id>"""
        self._switch("mirroring_session_add", i32(session), record({2: i32(mgrp)}))

    def do_mirroring_delete(self, session: int) -> None:
        """Delete a mirroring session: mirroring_delete <session>"""
        self._switch("mirroring_session_delete", i32(session))

    def do_mirroring_get(self, session: int) -> None:
        """Show a mirroring session: mirroring_get <session>"""
        found = self._switch("mirroring_session_get", i32(session))
        print(f"MirroringSessionConfig(port={found.get(1)}, mgid={found.get(2)})")

    def do_set_queue_depth(self, line: str) -> None:
        """Set how many packets queues hold, by default all: set_queue_depth <packets> [<port> [<priority>]]"""
        depth, *where = _integers(at_least(line, 1)[:3], "nb_pkts", "egress_port", "priority")
        function = ("set_all_egress_queue_depths", "set_egress_queue_depth", "set_egress_priority_queue_depth")
        self._switch(function[len(where)], *map(i32, where), i32(depth))

    def do_set_queue_rate(self, line: str) -> None:
        """Set the rate of queues, by default all: set_queue_rate <packets a second> [<port> [<priority>]]"""
        rate, *where = _integers(at_least(line, 1)[:3], "rate_pps", "egress_port", "priority")
        function = ("set_all_egress_queue_rates", "set_egress_queue_rate", "set_egress_priority_queue_rate")
        self._switch(function[len(where)], *map(i32, where), i64(rate))

    def do_get_time_elapsed(self, line: str) -> None:
        """Print the microseconds since the switch started: get_time_elapsed"""
        print(self._switch("get_time_elapsed_us"))

    def do_get_time_since_epoch(self, line: str) -> None:
        """Print the microseconds since the beginning of the switch's time: get_time_since_epoch"""
        print(self._switch("get_time_since_epoch_us"))

    def _multicast(self, function: str, *arguments: Value) -> Any:
        return self._connection.call("simple_pre_lag", function, CONTEXT, *arguments)

    def _switch(self, function: str, *arguments: Value) -> Any:
        return self._connection.call(self._declared.target, function, *arguments)


def _integers(words: Sequence[str], *names: str) -> list[int]:
    return [integer(word, f"Bad format for {name}, expected integer") for word, name in zip(words, names, strict=False)]


def _ports_and_lags(words: Sequence[str]) -> tuple[str, str]:
    bar = words.index("|") if "|" in words else len(words)
    return _bits(words[:bar], "port"), _bits(words[bar + 1 :], "lag")


def _bits(words: Sequence[str], kind: str) -> str:
    """Encodes a set of numbers as 0 and 1, the last character for number 0."""
    numbers = []
    for word in words:
        if not word.isascii() or not word.isdigit():
            raise Wrong(f"'{word}' is not a valid {kind} number")
        if int(word) in numbers:
            raise Wrong(f"Found duplicate {kind} number '{int(word)}'")
        numbers.append(int(word))
    return "".join("01"[number in numbers] for number in range(max(numbers, default=-1), -1, -1))


def _joined(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))
