"""The memory that a base model needs, told before its weights are read."""

from __future__ import annotations

from pathlib import Path

import psutil
import torch


_GROUP = Path("/sys/fs/cgroup")  # where a container's limit stands
_GIGABYTE = 1e9


def free_memory(device: torch.device | None = None) -> int:
    """Return the bytes that this process may still take, on a GPU or of the machine."""
    if device is not None and device.type == "cuda":
        return torch.cuda.mem_get_info(device)[0]
    free = int(psutil.virtual_memory().available)
    try:
        limit, used = (int((_GROUP / f"memory.{name}").read_text()) for name in ("max", "current"))
    except (OSError, ValueError):  # no group, or one without a limit
        return free
    return max(0, min(free, limit - used))
