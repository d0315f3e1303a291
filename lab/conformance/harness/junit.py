"""pytest's report in JUnit's XML."""

from __future__ import annotations

from xml.etree import ElementTree

from lab.conformance.harness.scorecard import Outcome


def outcomes(junit: str) -> list[Outcome]:
    """Parse a report: "pass", "fail" or "skip" for each test, with the message's first line."""
    found = []
    for case in ElementTree.fromstring(junit).iter("testcase"):
        name = f"{case.get('classname', '').rpartition('.')[2]}::{case.get('name')}"
        ended = next((child for child in case if child.tag in ("failure", "error", "skipped")), None)
        if ended is None:
            found.append(Outcome(name, "pass"))
        else:
            message = (ended.get("message") or "").splitlines()
            result = "skip" if ended.tag == "skipped" else "fail"
            found.append(Outcome(name, result, message[0] if message else ""))
    return found
