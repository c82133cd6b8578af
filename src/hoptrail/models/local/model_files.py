"""Model files in the GGUF format, and those that a user has told of: `gguf:NAME` is one."""

from __future__ import annotations

import json
import math
import re
import struct
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

from filelock import FileLock
from platformdirs import user_data_path

from hoptrail.core.errors import InputError, SettingsError
from hoptrail.core.types import Record
from hoptrail.core.whole_file import write_whole

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_QUANTIZATION = re.compile(r"[._-](?:i?q\d[a-z0-9_]*|f16|bf16|f32|gguf)$", re.IGNORECASE)
_MAGIC = b"GGUF"
_VERSIONS = (2, 3)
_FORMATS = {
    0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q",
    12: "<d",
}  # fmt: skip
_STRING, _ARRAY = 8, 9
_LONGEST_STRING = 1 << 24  # bytes: a chat template has thousands
_MOST_ITEMS = 1 << 24
_MOST_DIMENSIONS = 4


@dataclass(frozen=True, slots=True)
class ModelFile(Record):
    """A model file by its name; `is_own` is whether Hoptrail has downloaded it.

    `sha256` and `licence` are known of what was downloaded, `check` is what `hoptrail model check`
    found.
    """

    name: str
    path: str
    size: int
    architecture: str = ""
    context: int = 0
    is_own: bool = False
    sha256: str = ""
    licence: str = ""
    source: str = ""
    check: dict[str, float] | None = None


class ModelFiles:
    """The list of a user's model files, in a file of the folder for data of programs.

    Args:
        folder: Where the list and downloaded files lie; by default the user's.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or user_data_path("hoptrail", appauthor=False) / "models"
        self._list = self.folder / "models.json"

    def all(self) -> list[ModelFile]:
        """Return the files by name."""
        try:
            rows = json.loads(self._list.read_text(encoding="utf-8"))
            return sorted(map(ModelFile.from_json, rows), key=lambda one: one.name)
        except FileNotFoundError:
            return []
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise SettingsError(
                f"{self._list} cannot be read", hint="delete it, and add the model files again"
            ) from error

    def find(self, name: str) -> ModelFile | None:
        """Return the file of a name, None where there is none."""
        return next((one for one in self.all() if one.name == name), None)

    def add(self, path: Path, name: str | None = None, **known: object) -> ModelFile:
        """List a model file under a name, which it takes from its own where none is given.

        Raises:
            SettingsError: If it is no whole GGUF file.
            InputError: If the name cannot be one, or is that of another file.
        """
        path = path.expanduser().resolve()
        header = read_gguf_header(path)
        name = name or short_name(path.stem)
        check_name(name)
        with self._locked():
            others = [one for one in self.all() if one.name != name]
            former = self.find(name)
            if former is not None and Path(former.path) != path:
                raise InputError(
                    f"{name} is {former.path} already",
                    hint=f"choose another --name, or hoptrail model remove {name}",
                )
            added = ModelFile(name, str(path), header.size, header.architecture, header.context)
            added = replace(added, **known)  # type: ignore[arg-type]
            self._write([*others, added])
        return added

    def keep_check(self, name: str, check: dict[str, float]) -> None:
        """Store what a check of a model found."""
        with self._locked():
            self._write(
                [replace(one, check=check) if one.name == name else one for one in self.all()]
            )

    def remove(self, name: str) -> ModelFile:
        """Forget a model file; one that Hoptrail has downloaded is deleted.

        Raises:
            InputError: If there is none of that name.
        """
        with self._locked():
            former = self.find(name)
            if former is None:
                raise InputError(
                    f"no model {name}", hint="hoptrail model list names those there are"
                )
            self._write([one for one in self.all() if one.name != name])
        if former.is_own:
            Path(former.path).unlink(missing_ok=True)
        return former

    def _locked(self) -> FileLock:
        self.folder.mkdir(parents=True, exist_ok=True)
        return FileLock(self.folder / "models.lock")

    def _write(self, files: list[ModelFile]) -> None:
        text = json.dumps([one.to_json() for one in files], indent=1, ensure_ascii=False)
        write_whole(self._list, f"{text}\n")


def check_of(model: str | None) -> dict[str, float] | None:
    """Return what `hoptrail model check` found of a model, None where it was not checked.

    Args:
        model: Its full name; only that of a model file is one that is checked.
    """
    provider, _, name = (model or "").partition(":")
    listed = ModelFiles().find(name) if provider == "gguf" else None
    return listed.check if listed is not None else None


def check_name(name: str) -> None:
    """Make sure that a text can be the name of a model, and of its file.

    Raises:
        InputError: If it cannot.
    """
    if not _NAME.fullmatch(name):
        raise InputError(
            f"{name!r} is no name of a model",
            hint="letters, digits, dots, hyphens and underscores, in small letters",
        )


def short_name(stem: str) -> str:
    """Return a name for a file: "qwen2.5-1.5b-instruct" of "Qwen2.5-1.5B-Instruct-Q4_K_M"."""
    name = re.sub(r"[^a-z0-9._-]+", "-", _QUANTIZATION.sub("", stem).lower()).strip("-._")
    return name[:64] or "model"


def model_path(choice: str) -> Path:
    """Return the file that `gguf:CHOICE` means: one that is listed by that name, else a path."""
    is_path = "/" in choice or "\\" in choice or choice.lower().endswith(".gguf")
    listed = None if is_path else ModelFiles().find(choice)
    return Path(listed.path) if listed else Path(choice).expanduser()


@dataclass(frozen=True, slots=True)
class GgufHeader:
    """A model by its file.

    `architecture` is llama.cpp's name of it ("qwen2"), `context` how many tokens it was trained to
    read, 0 where the file does not tell, `weights` how many numbers its tensors hold.
    """

    name: str
    architecture: str
    context: int
    size: int
    weights: int


def read_gguf_header(path: Path) -> GgufHeader:
    """Return what the head of a model file tells.

    Raises:
        SettingsError: If the file cannot be read, is no GGUF file, or ends before its weights do.
    """
    try:
        with path.open("rb") as file:
            return _read(file, path)
    except OSError as error:
        raise SettingsError(
            f"no model file {path}: {error.strerror}", hint="write it as gguf:PATH"
        ) from error
    except (struct.error, ValueError, UnicodeDecodeError) as error:
        raise SettingsError(
            f"{path} is damaged: its head cannot be read", hint="download it again"
        ) from error


def _read(file: BinaryIO, path: Path) -> GgufHeader:
    if file.read(len(_MAGIC)) != _MAGIC:
        raise SettingsError(f"{path} is no GGUF file", hint="take a model in the format GGUF")
    version, tensors, pairs = _unpack(file, "<I"), _unpack(file, "<Q"), _unpack(file, "<Q")
    if version not in _VERSIONS:
        raise SettingsError(
            f"{path.name} is GGUF of version {version}, which is not read here",
            hint="take a file of version 3",
        )
    values: dict[str, Any] = {}
    for _ in range(min(pairs, _MOST_ITEMS)):
        key = _string(file)
        values[key] = _value(file, _unpack(file, "<I"))
    parts = [_tensor(file) for _ in range(min(tensors, _MOST_ITEMS))]
    last = max((begin for begin, _ in parts), default=0)
    alignment = int(values.get("general.alignment", 32)) or 32
    begins = -(-file.tell() // alignment) * alignment
    size = path.stat().st_size
    if size <= begins + last:
        raise SettingsError(
            f"{path.name} is cut off: it ends before its last weights", hint="download it again"
        )
    architecture = str(values.get("general.architecture", ""))
    context = values.get(f"{architecture}.context_length", 0)
    return GgufHeader(
        name=str(values.get("general.name") or path.stem),
        architecture=architecture,
        context=int(context),
        size=size,
        weights=sum(count for _, count in parts),
    )


def _tensor(file: BinaryIO) -> tuple[int, int]:
    """Read the entry of a tensor; return where its weights begin behind the head, and how many."""
    _string(file)
    dimensions = min(int(_unpack(file, "<I")), _MOST_DIMENSIONS)
    count = math.prod(int(_unpack(file, "<Q")) for _ in range(dimensions))
    file.seek(4, 1)
    return int(_unpack(file, "<Q")), count


def _value(file: BinaryIO, kind: int) -> Any:
    """Read a value; of a list, such as a vocabulary, nothing is kept."""
    if kind == _STRING:
        return _string(file)
    if kind != _ARRAY:
        return _unpack(file, _FORMATS.get(kind, "?"))
    inner, count = _unpack(file, "<I"), _unpack(file, "<Q")
    if inner in _FORMATS:
        file.seek(struct.calcsize(_FORMATS[inner]) * count, 1)
        return None
    for _ in range(min(count, _MOST_ITEMS)):
        if inner == _STRING:
            file.seek(_length(file), 1)
        else:
            _value(file, inner)
    return None


def _string(file: BinaryIO) -> str:
    return file.read(_length(file)).decode()


def _length(file: BinaryIO) -> int:
    length = int(_unpack(file, "<Q"))
    if length > _LONGEST_STRING:
        raise ValueError(length)
    return length


def _unpack(file: BinaryIO, form: str) -> Any:
    (value,) = struct.unpack(form, file.read(struct.calcsize(form)))
    return value
