"""Where the public question sets lie that the benchmarks read."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def data_folder(*needed: str) -> Path:
    """Return the folder `HOPTRAIL_DATA`, by default `../shared/data` beside the checkout.

    Args:
        needed: Files in it that are asked for.

    Raises:
        SystemExit: If the folder or one of the files is missing; says which, and what to set.
    """
    folder = Path(os.environ.get("HOPTRAIL_DATA") or ROOT / "../shared/data").resolve()
    for name in (".", *needed):
        if not (folder / name).exists():
            raise SystemExit(
                f"no {folder / name}; set HOPTRAIL_DATA to the folder of the data sets"
            )
    return folder
