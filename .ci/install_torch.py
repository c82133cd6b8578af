"""Installs the CPU build of torch where no GPU could use the other one; else leaves torch to pip.

On Linux, pip's usual torch brings several gigabytes of CUDA libraries. Called before the main
installation, by the Python of the environment:

    python .ci/install_torch.py [PINS]

PINS is a file of exact versions; without it the newest torch is taken. A torch of the right version
that is in the environment stays. One of the Python that made the environment is not borrowed: with
`--system-site-packages` its other packages would come along, and stand in for those of the lock.
"""

from __future__ import annotations

import importlib.metadata
import re
import shutil
import subprocess
import sys
from pathlib import Path

CPU_INDEX = "https://download.pytorch.org/whl/cpu"
# Seconds of silence after which the index counts as not answering; it is asked once.
PATIENCE = "8"


def main(arguments: list[str]) -> None:
    """Install the CPU build, or do nothing; a failure of it is told and is no error."""
    pinned = pinned_version(Path(arguments[0]).read_text(encoding="utf-8")) if arguments else None
    reason = reason_to_leave(pinned)
    if reason is None and not install(f"torch=={pinned}" if pinned else "torch"):
        reason = f"{CPU_INDEX} did not give it"
    if reason is not None:
        print(f"torch: {reason}; pip's usual build is taken where it is missing", flush=True)


def pinned_version(pins: str) -> str:
    """Return the version of torch in the text of a lock."""
    found = re.search(r"^torch==([^\s;]+)", pins, re.MULTILINE)
    if found is None:
        raise SystemExit("torch: no exact version in the lock; renew it with: make lock")
    return found[1]


def reason_to_leave(pinned: str | None) -> str | None:
    """Return why the CPU build is not needed, or None where it is."""
    installed = installed_version()
    # A build's name follows a plus sign: 2.15.0+cpu is a 2.15.0.
    if installed is not None and pinned in (None, installed.partition("+")[0]):
        return f"{installed} is installed"
    if sys.platform != "linux":
        return "this system's usual build is small"
    if has_nvidia_gpu():
        return "this machine has an NVIDIA GPU"
    return None


def installed_version() -> str | None:
    """Return the version of torch in this environment, if there is one."""
    try:
        return importlib.metadata.version("torch")
    except importlib.metadata.PackageNotFoundError:
        return None


def has_nvidia_gpu() -> bool:
    """Return whether NVIDIA's driver lists a GPU."""
    if shutil.which("nvidia-smi") is None:
        return False
    try:
        listed = subprocess.run(
            ["nvidia-smi", "-L"], capture_output=True, text=True, timeout=20, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return listed.returncode == 0 and "GPU" in listed.stdout


def install(requirement: str) -> bool:
    """Install torch alone from its CPU index; return whether that worked."""
    pip = [sys.executable, "-m", "pip", "install", "--progress-bar", "off"]
    source = ["--index-url", CPU_INDEX, "--retries", "0", "--timeout", PATIENCE]
    return subprocess.run([*pip, *source, "--no-deps", requirement], check=False).returncode == 0


if __name__ == "__main__":
    main(sys.argv[1:])
