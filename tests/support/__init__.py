"""What the tests of several packages share."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
"""The checkout."""
