from __future__ import annotations
import os, uuid
import pytest
@pytest.fixture
def milvus(tmp_path_factory):
    return os.environ.get("M") or str(tmp_path_factory.mktemp("lite")/"m.db")
@pytest.fixture
def name():
    return "t"+uuid.uuid4().hex[:8]
