"""Every collective, compared with numpy on all workers' arrays, which each worker can compute."""

from __future__ import annotations

import sys
from itertools import product
from typing import Any, get_args

import numpy as np
import pytest
from numpy.typing import NDArray

import dropzero
from dropzero.worker.communicator import OperationName


def arrays(size: int, kind: str, shape: tuple[int, ...], density: float, seed: int) -> list[NDArray[Any]]:
    """An array for each worker, with about `density` of its elements non-zero."""
    draw = np.random.default_rng(seed)
    held = draw.random((size, *shape)) < density
    if kind == "int32":
        return list(np.where(held, draw.integers(-(2**31), 2**31, (size, *shape)), 0).astype(np.int32))
    return list((held * draw.standard_normal((size, *shape))).astype(kind))


def biased(magnitudes: NDArray[Any], block: int) -> NDArray[Any]:
    """The exponent field of each block's largest element."""
    most = np.pad(magnitudes, (0, -len(magnitudes) % block)).reshape(-1, block).max(1)
    return np.asarray(np.frexp(most)[1] + 126 * (most > 0))


def sparse(network: dropzero.Communicator) -> None:
    """Rows of a table of 2^40 rows. The workers share some of them; one worker has none."""
    for shape, kind in (((8,), np.int32), ((3, 50), np.float32), ((), np.int32)):
        draws = [np.random.default_rng((rank, len(shape))) for rank in range(network.size)]
        indices = [draw.integers(0, 20, 12 * (rank != 1)) * 2**35 for rank, draw in enumerate(draws)]
        rows: list[Any] = [
            draw.integers(-(2**20), 2**20, (len(held), *shape)).astype(kind)
            for draw, held in zip(draws, indices, strict=True)
        ]
        expected: dict[int, Any] = {}
        for held, each in zip(indices, rows, strict=True):
            for index, row in zip(held.tolist(), each, strict=True):
                expected[index] = expected.get(index, np.zeros(shape, kind)) + row
        found, sums = network.sparse_all_reduce(indices[network.rank], rows[network.rank])
        assert found.tolist() == sorted(expected)
        assert sums.shape == (len(found), *shape)
        for index, total in zip(found.tolist(), sums, strict=True):
            assert np.allclose(total, expected[index], rtol=1e-6, atol=0.05 if kind == np.float32 else 0)


def in_shards(network: dropzero.Communicator) -> None:
    """What reduce_scatter and reduce return equals the same part of all_reduce's result, to the last bit."""
    size, rank = network.size, network.rank
    counts = [0] * size
    counts[0] += 3
    counts[-1] += 7
    for kind, shape, density in product(("float32", "float16", "int32"), ((2,), (70, 33)), (0.02, 1.0)):
        rows = arrays(size, kind, (size, *shape), density, 12)[rank]
        table = arrays(size, kind, (10, *shape), density, 13)[rank]
        for operation, width in (("sum", 32), ("mean", 32), ("max", 32), *(("sum", 16),) * (kind != "int32")):
            how: dict[str, Any] = {"operation": operation, "width": width}
            whole = network.all_reduce(rows, **how)
            part = network.reduce_scatter(rows, **how)
            assert part.dtype == rows.dtype
            assert np.array_equal(part, whole[rank])
            whole = network.all_reduce(table, **how)
            part = network.reduce_scatter(table, counts=counts, **how)
            assert np.array_equal(part, whole[sum(counts[:rank]) : sum(counts[: rank + 1])])
            for root in range(size):
                total: Any = network.reduce(table, root, **how)
                assert np.array_equal(total, whole) if root == rank else total is None


def gathered(network: dropzero.Communicator) -> None:
    """Arrays of any type arrive bit for bit, also NaNs and negative zeros, in equal and unequal shards, whose ends are
    not ends of words or blocks."""
    size, rank = network.size, network.rank
    unequal = [(5 * each + 3) % (2 * size) for each in range(size)]
    draw = np.random.default_rng(14)
    kinds = ("int64", ()), ("float64", (7,)), ("?", (11,)), ("float16", (7,)), ("S3", (401,)), ("int32", (900,))
    for kind, row in kinds:
        for counts in (unequal, [0] * (size - 1) + [3], [2] * size):
            shape = (sum(counts), *row)
            content = draw.bytes(int(np.prod(shape)) * np.dtype(kind).itemsize)
            whole = np.frombuffer(content, "u1").view(kind if kind != "?" else "u1").reshape(shape)
            whole = (whole % 2).astype("?") if kind == "?" else whole
            first = sum(counts[:rank])
            own = whole[first : first + counts[rank]]
            gathers = [network.gather(own, root, counts=counts) for root in range(size)]
            assert [each is not None for each in gathers] == [root == rank for root in range(size)]
            found: list[Any] = [network.all_gather(own, counts=counts), gathers[rank]]
            if len({*counts}) == 1:
                found.append(network.all_gather(own).reshape(shape))
                table = whole if rank == size - 1 else np.zeros_like(whole)
                part = network.scatter(table.reshape(size, -1, *row), size - 1)
                assert part.dtype == own.dtype
                assert part.tobytes() == own.tobytes()
            for each in found:
                assert (each.dtype, each.shape, each.tobytes()) == (whole.dtype, shape, whole.tobytes())


def not_finite(network: dropzero.Communicator) -> None:
    """A block that is not finite on any worker becomes NaN on all; maxima and minima equal numpy's, with infinities."""
    for kind, length, bad, width in product(("float32", "float16"), (7, 5000), (np.nan, -np.nan, np.inf), (32, 16, 8)):
        spoiled = arrays(network.size, kind, (length,), 0.5, 11)
        spoiled[-1][length // 2] = bad
        mine = spoiled[network.rank]
        first = length // 2 // (1024 // width) * (1024 // width)
        for operation in ("sum", "mean"):
            total = network.all_reduce(mine, operation=operation, width=width, block=1024 // width)
            assert np.flatnonzero(np.isnan(total)).tolist() == list(range(first, min(first + 1024 // width, length)))
        with np.errstate(invalid="ignore"):
            highest, lowest = np.maximum.reduce(spoiled), np.minimum.reduce(spoiled)
        assert np.array_equal(network.all_reduce(mine, operation="max"), highest, equal_nan=True)
        assert np.array_equal(network.all_reduce(mine, operation="min"), lowest, equal_nan=True)


def main() -> None:
    controller, job, size, rank = sys.argv[1], *map(int, sys.argv[2:5])
    with dropzero.connect(controller, job, size, rank=rank) as network:
        for seed, shape in enumerate([(0,), (1,), (7, 11), (5000,)]):
            for density in (0.0, 0.01, 1.0):
                ints = arrays(size, "int32", shape, density, seed)
                total = np.sum([array.astype(np.int64) for array in ints], 0).astype(np.int32)
                assert np.array_equal(network.all_reduce(ints[rank]), total)
                assert np.array_equal(network.all_reduce(ints[rank], operation="max"), np.maximum.reduce(ints))
                assert np.array_equal(network.all_reduce(ints[rank], operation="min"), np.minimum.reduce(ints))
                mean = np.trunc(np.sum([array.astype(np.int64) for array in ints], 0) / size).astype(np.int32)
                assert np.array_equal(network.all_reduce(ints[rank], operation="mean"), mean)

                floats = arrays(size, "float32", shape, density, seed)
                for width, tolerance in ((32, 1e-6), (16, 1e-2), (8, 1.0)):
                    got = network.all_reduce(floats[rank], width=width)
                    assert np.allclose(got, np.sum(floats, 0), atol=tolerance), (width, shape, density)
                    got, exponents = network.all_reduce_scaled(floats[rank], width=width, block=256)
                    assert np.array_equal(got, network.all_reduce(floats[rank], width=width, block=256))
                    assert np.array_equal(exponents, biased(np.abs(floats).reshape(size, -1).max(0), 256))
                average = network.all_reduce(floats[rank], operation="mean", block=64)
                assert np.allclose(average, np.mean(floats, 0), atol=1e-6)
                assert np.array_equal(network.all_reduce(floats[rank], operation="max"), np.maximum.reduce(floats))
                assert np.array_equal(network.all_reduce(floats[rank], operation="min"), np.minimum.reduce(floats))

                halves = arrays(size, "float16", shape, density, seed)
                got = network.all_reduce(halves[rank])
                assert got.dtype == np.float16
                assert np.allclose(got, np.sum(halves, 0, dtype=np.float32), atol=2e-2)

        doubles = arrays(size, "float64", (3, 5), 0.5, 9)
        for root in range(size):
            assert np.array_equal(network.broadcast(doubles[rank], root), doubles[root])
        own = doubles[rank].copy()
        assert network.broadcast(own, 0, out=own) is own
        assert np.array_equal(own, doubles[0])
        odd = [np.arange(5, dtype=np.int8) - i for i in range(size)]
        assert np.array_equal(network.all_gather(odd[rank]), np.stack(odd))
        rows = arrays(size, "int32", (size, 40), 1.0, 3)
        assert np.array_equal(network.reduce_scatter(rows[rank], operation="max"), np.maximum.reduce(rows)[rank])
        network.barrier()
        futures = [network.all_reduce_async(ints[rank] * np.int32(turn)) for turn in range(4)]
        last = network.all_reduce(ints[rank])
        assert np.array_equal(last, total)
        for turn, future in enumerate(futures):
            assert np.array_equal(future.result(), total * np.int32(turn))
        square, wide = arrays(size, "float32", (16, 16), 1.0, 6)[rank], np.empty((16, 32), np.float32)
        few: list[Any] = [square, square.T, square.astype(np.float16), np.array(rank, np.float32)]
        for own in few:
            assert np.array_equal(network.all_reduce(own), network.all_reduce(own.copy("C")))
        assert np.array_equal(network.all_reduce(square, out=wide[:, ::2]), network.all_reduce(square))
        for shape in (7, 9), (70, 90):
            table = arrays(size, "float32", shape, 0.5, 7)[rank]
            for operation, own in product(get_args(OperationName), (table, table.astype(np.float16))):
                result = network.all_reduce(own, operation=operation)
                backwards, again = np.empty_like(own)[::-1, ::-1], own.copy()
                for array, out in (own, np.empty_like(own)), (own, np.empty_like(own, order="F")), (again, again):
                    assert network.all_reduce(array, operation=operation, out=out) is out
                    assert np.array_equal(out, result)
                assert network.all_reduce(own, operation=operation, out=backwards) is backwards
                assert np.array_equal(backwards, result)
        first = network.all_reduce(square)
        network.all_reduce(2 * square)
        assert np.array_equal(first, wide[:, ::2])
        buffer = ints[rank].copy()
        assert network.all_reduce(buffer, out=buffer) is buffer
        assert np.array_equal(buffer, total)
        assert dropzero.wait_all([network.all_reduce_async(ints[rank], out=buffer)])[0] is buffer
        several = [arrays(size, "float32", shape, 0.5, 5)[rank] for shape in [(70,), (0,), (3, 9), (1000,)]]
        for array, got in zip(several, network.all_reduce_many(several, block=64), strict=True):
            assert np.array_equal(got, network.all_reduce(array, block=64))
        for most in 9, 5000:
            layers = [arrays(size, "int32", (length,), 0.1, 8) for length in (1, most, 40)]
            for layer, got in zip(layers, network.all_reduce_many([layer[rank] for layer in layers]), strict=True):
                assert np.array_equal(got, np.sum(layer, 0, dtype=np.int32))
        sparse(network)
        in_shards(network)
        gathered(network)
        not_finite(network)
        one: Any = np.ones(3, np.float32)
        for wrong, array, options in (
            ("32, 16 or 8 bits, not 20", one, {"width": 20}),
            ("sum, mean, max, min, not product", one, {"operation": "product"}),
            ("not 33", one, {"block": 33}),
            ("not float64", one.astype(np.float64), {}),
            ("out must have shape", one, {"out": np.ones(4, np.float32)}),
            ("int32 elements are always sent as 32 bits", one.astype(np.int32), {"width": 8}),
        ):
            with pytest.raises(ValueError, match=wrong):
                network.all_reduce(array, **options)
        for wrong, indices, held in (
            ("not 2-D int64", np.ones((1, 1), np.int64), one[:1]),
            ("not 1-D float32", one, one),
            ("2 indices need an array of 2 rows", np.arange(2), one),
            ("must be 0 to .*, not -1", np.array([-1]), one[:1]),
        ):
            with pytest.raises(ValueError, match=wrong):
                network.sparse_all_reduce(indices, held)
        network.barrier()
    print("ok")


if __name__ == "__main__":
    main()
