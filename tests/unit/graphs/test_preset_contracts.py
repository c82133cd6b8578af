"""The contract that is shipped for others' presets, on every built-in one."""

from __future__ import annotations

from hoptrail.graphs.presets import PRESETS
from hoptrail.testing.contracts import PresetContract

for name, preset in PRESETS.items():
    class_name = f"Test{name.title().replace('_', '')}"
    globals()[class_name] = type(class_name, (PresetContract,), {"preset": preset})
