"""The step before the main installation that chooses a build of torch."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parents[1] / ".ci" / "install_torch.py"


@pytest.fixture(scope="module")
def install_torch() -> ModuleType:
    spec = importlib.util.spec_from_file_location("install_torch", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def pins(folder: Path, line: str) -> Path:
    lock = folder / "pins.txt"
    lock.write_text(f"tomli==2.0\n{line}\ntorch-geometric==2.8.1\n", encoding="utf-8")
    return lock


def fake_distribution(folder: Path, version: str) -> None:
    metadata = folder / f"torch-{version}.dist-info" / "METADATA"
    metadata.parent.mkdir(parents=True)
    metadata.write_text(f"Metadata-Version: 2.1\nName: torch\nVersion: {version}\n", "utf-8")


def fake_program(folder: Path, name: str, code: str) -> None:
    folder.mkdir(exist_ok=True)
    program = folder / name
    program.write_text(f"#!/bin/sh\n{code}\n", encoding="utf-8")
    program.chmod(0o755)


def test_the_version_is_read_from_the_lock(install_torch: ModuleType) -> None:
    assert install_torch.pinned_version("torch-geometric==2.8.1\ntorch==2.15.0 ; a\n") == "2.15.0"


def test_a_lock_without_torch_is_an_error(install_torch: ModuleType) -> None:
    with pytest.raises(SystemExit, match="make lock"):
        install_torch.pinned_version("torch-geometric==2.8.1\n")


def test_an_installed_build_of_the_locked_version_stays(
    install_torch: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_distribution(tmp_path, "9.9.9+cu130")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert install_torch.reason_to_leave("9.9.9") == "9.9.9+cu130 is installed"


@pytest.mark.skipif(sys.platform != "linux", reason="only there the usual build is large")
def test_another_version_does_not(
    install_torch: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_distribution(tmp_path, "9.9.8+cpu")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert install_torch.reason_to_leave("9.9.9") is None


@pytest.mark.skipif(os.name == "nt", reason="the program is a shell script")
@pytest.mark.parametrize(
    ("code", "found"),
    [("echo 'GPU 0: NVIDIA X'", True), ("echo 'No devices found.'", False), ("exit 9", False)],
    ids=["gpu", "none", "no driver"],
)
def test_a_gpu_is_what_the_driver_lists(
    install_torch: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    code: str,
    found: bool,
) -> None:
    fake_program(tmp_path / "bin", "nvidia-smi", code)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert install_torch.has_nvidia_gpu() is found


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only there the usual build is large")
def test_an_index_that_does_not_answer_is_no_failure(tmp_path: Path) -> None:
    script = tmp_path / "install_torch.py"
    dead = SCRIPT.read_text(encoding="utf-8").replace(
        "https://download.pytorch.org", "http://127.0.0.1:9"
    )
    script.write_text(dead, encoding="utf-8")
    lock = pins(tmp_path, "torch==9.9.9")
    environment = {**os.environ, "PATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, str(script), str(lock)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "torch: http://127.0.0.1:9/whl/cpu did not give it; pip's usual build" in done.stdout
