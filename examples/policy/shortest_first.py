"""A policy of your own: jobs that want the fewest slots come first, as many of them as fit.

On a switch, and in virtual time:

    dropzero controller serve --policy examples/policy/shortest_first.py:ShortestFirst ...
    dropzero simulate --jobs 3 --slots 128 --policy examples/policy/shortest_first.py:ShortestFirst
"""

from __future__ import annotations

from collections.abc import Sequence

from dropzero.controller.jobs.policies import Demand


class ShortestFirst:
    def shares(self, slots: int, demands: Sequence[Demand]) -> Sequence[int]:
        # A job that runs keeps its slots, so that no call begins again.
        shares = [each.share for each in demands]
        left = slots - sum(shares)
        for at in sorted(range(len(demands)), key=lambda at: demands[at].wanted):
            if not shares[at] and demands[at].wanted <= left:
                shares[at] = demands[at].wanted
                left -= shares[at]
        return shares
