"""The contract that is shipped for others' retrievers, on every built-in one."""

from __future__ import annotations

from hoptrail.retrievers.registry import RETRIEVERS
from hoptrail.testing.contracts import RetrieverContract

for name, cls in RETRIEVERS.items():
    class_name = f"Test{name.title().replace('_', '')}"
    globals()[class_name] = type(class_name, (RetrieverContract,), {"retriever_class": cls})
