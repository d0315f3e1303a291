"""The all-reduces by their names."""

from __future__ import annotations

from collections.abc import Mapping

from dropzero.simulator.collectives.mesh import Collective
from dropzero.simulator.collectives.rings import halving_doubling, hierarchical_ring, ring
from dropzero.simulator.collectives.sparse import agsparse, sparcml
from dropzero.simulator.collectives.trees import double_binary_tree, parameter_server
from dropzero.simulator.formulas import Scheme

SCHEMES: Mapping[Scheme, Collective] = {
    Scheme.RING: ring,
    Scheme.HIERARCHICAL_RING: hierarchical_ring,
    Scheme.HALVING_DOUBLING: halving_doubling,
    Scheme.DOUBLE_BINARY_TREE: double_binary_tree,
    Scheme.PARAMETER_SERVER: parameter_server,
    Scheme.AGSPARSE: agsparse,
    Scheme.SPARCML: sparcml,
}
