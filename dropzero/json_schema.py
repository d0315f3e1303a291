"""The form of documents: a schema says which attributes their objects have, and of which types. `checked` is applied to
a document once, so that its reader finds nothing but these types."""

from __future__ import annotations

import json
from typing import Any


class WrongForm(ValueError):
    """A document is not of the form that its reader expects. The message says where."""


class Object(dict[Any, Any]):
    """A JSON object. An attribute that is read must be there."""

    def __missing__(self, name: object) -> Any:
        raise WrongForm(f"{self.get('name', 'an object')!r} has no {name!r}")


def parsed(content: bytes | str, schema: Any) -> Any:
    """Reads JSON, with Objects as its objects. Raises WrongForm."""
    try:
        text = content if isinstance(content, str) else content.decode()
        document = json.loads(text, object_pairs_hook=Object)
        checked(document, schema)
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise WrongForm(f"{type(error).__name__}: {error}") from None
    except RecursionError:
        raise WrongForm("it is nested too deeply") from None
    return document


def checked(value: Any, schema: Any, place: str = "it") -> None:
    """Checks that a part of a document is as a schema says. Raises WrongForm.

    Args:
        schema: a type; [the schema of all elements]; [a schema for each of the first elements, of which there are at
            least two, ...]; {attribute: schema}, where "" stands for any other attribute, and attributes without a
            schema are of no interest; or a tuple of several schemas, in which None stands for null.
        place: where this is in the document.
    """
    if isinstance(schema, tuple):
        fitting = [each for each in schema if _is(value, each)]
        if not fitting:
            raise WrongForm(f"{place} is {value!r:.40}")
        schema = fitting[0]
    elif not _is(value, schema):
        raise WrongForm(f"{place} is {value!r:.40}")
    if isinstance(schema, list):
        for element, expected in zip(value, schema * len(value) if len(schema) == 1 else schema, strict=False):
            checked(element, expected, place)
    elif isinstance(schema, dict):
        for name, part in value.items():
            expected = schema.get(name, schema.get(""))
            if expected is not None:
                checked(part, expected, f"{name!r}")


def _is(value: Any, schema: Any) -> bool:
    """Whether a value is of the type that a schema begins with. JSON's true is not a number."""
    if isinstance(schema, dict):
        return isinstance(value, dict)
    if isinstance(schema, list):
        return type(value) is list and (len(schema) == 1 or len(value) >= len(schema))
    return value is None if schema is None else type(value) is schema
