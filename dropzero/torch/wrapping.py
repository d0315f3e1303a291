"""Calls of tensors that have no memory of their own, but wrap others: those of FSDP's extensions, for instance."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial, wraps
from inspect import isfunction
from itertools import count
from typing import Any, TypeVar

import torch
from torch import Tensor
from torch.nn import Parameter
from torch.utils._pytree import tree_flatten, tree_unflatten

T = TypeVar("T")
PLAIN = Tensor, Parameter

_calls: dict[int, Callable[[Sequence[Tensor]], None]] = {}
"""Those that wait for the wrapped tensors."""
_numbers = count()
_library = torch.library.Library("dropzero", "DEF")
_library.define("call(int number, Tensor(a!)[] tensors) -> ()")
_library.impl("call", lambda number, tensors: _calls[number](tensors), "CompositeExplicitAutograd")


def unwrapping(kind: type[T]) -> type[T]:
    """Makes the public methods of a group take tensors that wrap others. PyTorch hands each operation on such a tensor
    to its class, which makes it on what it wraps: on each of two tensors, for instance. So do calls of PyTorch's own
    groups."""
    for name, method in list(vars(kind).items()):
        if isfunction(method) and not method.__name__.startswith("_"):
            setattr(kind, name, _unwrapping(method))
    return kind


def _unwrapping(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def make(group: Any, *arguments: Any, **named: Any) -> Any:
        call = partial(method, group)
        if any(type(each) not in PLAIN and _wraps(each) for each in _tensors((arguments, *named.values()))):
            return _unwrapped(call, group, arguments, named)
        return call(*arguments, **named)

    return make


def _unwrapped(call: Callable[..., Any], group: Any, arguments: Any, named: Any) -> Any:
    leaves, form = tree_flatten((arguments, named))
    made: list[Any] = []
    reached = False

    def make(tensors: Sequence[Tensor]) -> None:
        nonlocal reached
        reached, given = True, iter(tensors)
        own, options = tree_unflatten([next(given) if isinstance(each, Tensor) else each for each in leaves], form)
        made.append(call(*own, **options))

    number = next(_numbers)
    _calls[number] = make
    try:
        torch.ops.dropzero.call(number, [each.detach() for each in leaves if isinstance(each, Tensor)])
    except Exception as error:
        if not reached:
            group.refuse(error)
        raise
    finally:
        del _calls[number]
    *earlier, last = made
    for work in earlier:
        work.wait()
    return last


def _wraps(tensor: Tensor) -> bool:
    return bool(torch._C._dispatch_keys(tensor).has(torch._C.DispatchKey.Python))


def _tensors(arguments: Iterable[Any]) -> Iterator[Tensor]:
    for each in arguments:
        if isinstance(each, Tensor):
            yield each
        elif isinstance(each, list | tuple):
            yield from _tensors(each)
