"""Download a model file from the Hugging Face hub: resumed, checked, and whole or not at all.

The table of small models that `hoptrail model get NAME` knows is of November 2026. Sizes and
SHA-256 are those of the files that the hub had then; another file of that name is refused.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hoptrail.core.errors import DiskError, InputError, ModelUnavailableError
from hoptrail.models.local.model_files import ModelFile, ModelFiles, check_name, short_name

_OF_HUB = re.compile(r"hf:(?P<repository>[^/\s]+/[^/\s]+)/(?P<file>[^\s]+\.gguf)", re.IGNORECASE)
_BLOCK = 1 << 20
_SPARE = 200_000_000  # bytes that a disk is to keep free


@dataclass(frozen=True, slots=True)
class PublishedModel:
    """A file of the Hugging Face hub; `note` says what it is good for."""

    name: str
    repository: str
    file: str
    size: int
    sha256: str
    licence: str
    note: str


PUBLISHED = (
    PublishedModel(
        "qwen2.5-1.5b",
        "Qwen/Qwen2.5-1.5B-Instruct-GGUF",
        "qwen2.5-1.5b-instruct-q4_k_m.gguf",
        1_117_320_736,
        "6a1a2eb6d15622bf3c96857206351ba97e1af16c30d7a74ee38970e434e9407e",
        "Apache-2.0",
        "for two cores without a GPU",
    ),
    PublishedModel(
        "qwen2.5-coder-1.5b",
        "Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF",
        "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        1_117_320_768,
        "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        "Apache-2.0",
        "made for programs; the one that docs/local.md measures",
    ),
    PublishedModel(
        "qwen3-4b",
        "Qwen/Qwen3-4B-GGUF",
        "Qwen3-4B-Q4_K_M.gguf",
        2_497_280_256,
        "7485fe6f11af29433bc51cab58009521f205840f5b4ae3a32fa7f92e8534fdf5",
        "Apache-2.0",
        "for eight cores, or a GPU of 4 GB",
    ),
)


def published(name: str) -> PublishedModel | None:
    """Return the model of a name, None where the table has none."""
    return next((one for one in PUBLISHED if one.name == name), None)


@dataclass(frozen=True, slots=True)
class WantedFile:
    """A file of the hub; `size` and `sha256` are 0 and empty until the hub has told them."""

    name: str
    repository: str
    file: str
    size: int = 0
    sha256: str = ""
    licence: str = ""

    @property
    def address(self) -> str:
        """Where a browser finds it."""
        return f"https://huggingface.co/{self.repository}/resolve/main/{self.file}"


def wanted_file(choice: str, name: str | None = None) -> WantedFile:
    """Return the file that a name of the table, or `hf:OWNER/REPOSITORY/FILE.gguf`, means.

    Raises:
        InputError: If it is neither, or the name that is given cannot be one.
    """
    if name is not None:
        check_name(name)
    if (listed := published(choice)) is not None:
        return WantedFile(
            name or listed.name,
            listed.repository,
            listed.file,
            listed.size,
            listed.sha256,
            listed.licence,
        )
    found = _OF_HUB.fullmatch(choice)
    if found is None:
        raise InputError(
            f"no model {choice!r} is known",
            hint=f"take one of {', '.join(one.name for one in PUBLISHED)}, or "
            "hf:OWNER/REPOSITORY/FILE.gguf",
        )
    stem = Path(found["file"]).stem
    return WantedFile(name or short_name(stem), found["repository"], found["file"])


def described(wanted: WantedFile) -> WantedFile:
    """Return a file with the size and digest that the hub tells, where the table has none.

    Raises:
        ModelUnavailableError: If the hub cannot be reached, or has no such file.
    """
    if wanted.size:
        return wanted
    from huggingface_hub import get_hf_file_metadata, hf_hub_url

    try:
        told = get_hf_file_metadata(hf_hub_url(wanted.repository, wanted.file))
    except Exception as error:
        raise _unreachable(wanted, error) from error
    digest = told.etag or ""
    sha256 = digest if re.fullmatch(r"[0-9a-f]{64}", digest) else ""
    return WantedFile(wanted.name, wanted.repository, wanted.file, told.size or 0, sha256)


def download(
    wanted: WantedFile, files: ModelFiles, fetch: Callable[[WantedFile, Path], Path] | None = None
) -> ModelFile:
    """Download a file, check it and list it; an interrupted download goes on where it stopped.

    Args:
        wanted: The file, `described`.
        files: The user's model files.
        fetch: Brings a file into a folder and returns its path; by default from the hub.

    Raises:
        ModelUnavailableError: If the hub cannot be reached, or another file came.
        DiskError: If the disk is full.
        SettingsError: If what came is no model file.
    """
    parts = files.folder / "parts"
    parts.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(parts).free
    if wanted.size and free < wanted.size + _SPARE:
        raise DiskError(
            f"{wanted.file} has {wanted.size / 1e9:.1f} GB, and {files.folder} has "
            f"{free / 1e9:.1f} GB left",
            hint="make room, or set XDG_DATA_HOME to a folder on another disk",
        )
    fetched = (fetch or _fetch)(wanted, parts)
    digest = sha256_of(fetched)
    if wanted.sha256 and digest != wanted.sha256:
        fetched.unlink(missing_ok=True)
        raise ModelUnavailableError(
            f"{wanted.file} is another file than expected: its SHA-256 is {digest}",
            hint="nothing was kept; try again, or take it by hand and compare: " + wanted.address,
        )
    place = files.folder / f"{wanted.name}.gguf"
    os.replace(fetched, place)
    shutil.rmtree(parts, ignore_errors=True)
    return files.add(
        place,
        wanted.name,
        is_own=True,
        sha256=digest,
        licence=wanted.licence,
        source=f"hf:{wanted.repository}/{wanted.file}",
    )


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def _fetch(wanted: WantedFile, parts: Path) -> Path:
    from huggingface_hub import get_hf_file_metadata, hf_hub_download, hf_hub_url

    try:
        # It is asked once; the download itself would try for half a minute.
        get_hf_file_metadata(hf_hub_url(wanted.repository, wanted.file))
        # Below `local_dir` lies what an interrupted download has, until it is whole.
        fetched: Any = hf_hub_download(wanted.repository, wanted.file, local_dir=parts)
    except OSError as error:
        if error.errno is not None:
            raise DiskError(
                f"{wanted.file} could not be written: {error.strerror}", hint="make room"
            ) from error
        raise _unreachable(wanted, error) from error
    except Exception as error:
        raise _unreachable(wanted, error) from error
    return Path(fetched)


def _unreachable(wanted: WantedFile, error: Exception) -> ModelUnavailableError:
    cause: BaseException = error
    while cause.__cause__ or cause.__context__:
        cause = cause.__cause__ or cause.__context__ or cause
    told = str(cause).strip().partition("\n")[0] or type(cause).__name__
    return ModelUnavailableError(
        f"{wanted.repository} could not be reached: {told}",
        hint=f"download {wanted.address} by hand, then: hoptrail model add FILE --name "
        f"{wanted.name}",
    )
