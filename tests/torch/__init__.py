import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'dropzero[torch]'")
