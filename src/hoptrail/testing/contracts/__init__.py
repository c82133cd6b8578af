"""Tests that retrievers, presets and stores must pass, to be run on those of other packages.

They need pytest. A subclass in a test file says what is tested; the docs show one in extending.md.
"""

import pytest

# Before the import: only so do the failures of their asserts show values.
pytest.register_assert_rewrite(
    f"{__name__}.retriever_contract",
    f"{__name__}.preset_contract",
    f"{__name__}.knowledge_source_contract",
    f"{__name__}.serving_store_contract",
)

from hoptrail.testing.contracts.knowledge_source_contract import (  # noqa: E402
    KnowledgeSourceContract,
)
from hoptrail.testing.contracts.preset_contract import PresetContract  # noqa: E402
from hoptrail.testing.contracts.retriever_contract import RetrieverContract  # noqa: E402
from hoptrail.testing.contracts.serving_store_contract import ServingStoreContract  # noqa: E402

__all__ = [
    "KnowledgeSourceContract",
    "PresetContract",
    "RetrieverContract",
    "ServingStoreContract",
]
