"""What a user installs: the wheel, built through the sdist, in an environment of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("agents", "graphs", "tools", "prompts", "retrievers", "eval")
HEAVY = ("langgraph", "langchain", "langchain_core", "numpy", "scipy", "torch", "transformers")

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Distribution:
    sdist: Path
    wheel: Path

    def wheel_files(self) -> set[str]:
        return set(zipfile.ZipFile(self.wheel).namelist())


@pytest.fixture(scope="module")
def distribution(tmp_path_factory: pytest.TempPathFactory) -> Distribution:
    out = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(ROOT))
    (sdist,) = out.glob("*.tar.gz")
    (wheel,) = out.glob("*.whl")
    return Distribution(sdist, wheel)


@pytest.fixture(scope="module")
def installed(distribution: Distribution, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a fresh environment's programs; its dependencies are borrowed."""
    home = tmp_path_factory.mktemp("env")
    venv.create(home, symlinks=True)
    python = home / "bin" / "python"
    install = ("install", "--no-deps", "--no-index", "--quiet", str(distribution.wheel))
    run(sys.executable, "-m", "pip", "--python", str(python), *install)
    (site_packages,) = home.glob("lib/python*/site-packages")
    borrowed = sysconfig.get_path("purelib")
    (site_packages / "borrowed.pth").write_text(f"{borrowed}\n", encoding="utf-8")
    return home / "bin"


def run(*command: str, cwd: Path | None = None) -> str:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def source_files() -> set[str]:
    """Return every module and prompt of the sources, as paths inside the wheel."""
    package = ROOT / "src" / "hoptrail"
    roots = {"hoptrail": package} | {f"hoptrail/{name}": ROOT / name for name in FOLDERS}
    return {
        f"{prefix}/{path.relative_to(root).as_posix()}"
        for prefix, root in roots.items()
        for path in root.rglob("*")
        if path.suffix in {".py", ".md", ".typed", ".css", ".js", ".npz"}
        and "__pycache__" not in path.parts
    }


@pytest.mark.parametrize("name", FOLDERS)
def test_a_folder_of_the_root_is_linked_into_the_package(name: str) -> None:
    link = ROOT / "src" / "hoptrail" / name
    assert link.is_symlink()
    assert link.resolve() == ROOT / name


def test_hoptrail_is_the_only_top_level_name(distribution: Distribution) -> None:
    tops = {PurePosixPath(name).parts[0] for name in distribution.wheel_files()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"hoptrail"}


def test_the_wheel_holds_every_module_and_prompt(distribution: Distribution) -> None:
    assert source_files() - distribution.wheel_files() == set()


def test_the_wheel_carries_licence_and_notice(distribution: Distribution) -> None:
    names = {PurePosixPath(name).name for name in distribution.wheel_files()}
    assert {"LICENSE", "NOTICE"} <= names


def test_the_sdist_holds_files_instead_of_links(distribution: Distribution) -> None:
    with tarfile.open(distribution.sdist) as archive:
        members = archive.getmembers()
    assert [member.name for member in members if member.issym() or member.islnk()] == []
    top = distribution.sdist.name.removesuffix(".tar.gz")
    expected = {f"{top}/src/{name}" for name in source_files()}
    expected |= {f"{top}/{name}" for name in ("LICENSE", "NOTICE", "README.md", "pyproject.toml")}
    assert expected - {member.name for member in members} == set()


def test_every_installed_module_can_be_imported(
    distribution: Distribution, installed: Path, tmp_path: Path
) -> None:
    modules = sorted(
        name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        for name in distribution.wheel_files()
        if name.endswith(".py") and not name.endswith("__main__.py")
    )
    program = "import importlib, sys\nfor name in sys.argv[1:]: importlib.import_module(name)\n"
    program += "import hoptrail; print(hoptrail.__file__)"
    shown = run(str(installed / "python"), "-c", program, *modules, cwd=tmp_path)
    assert Path(shown.strip()).is_relative_to(installed.parent)


def test_the_installed_command_runs(installed: Path, tmp_path: Path) -> None:
    assert "index" in run(str(installed / "hoptrail"), "--help", cwd=tmp_path)


@pytest.mark.parametrize(
    "program",
    [
        "import hoptrail",
        "import hoptrail.cli; sys.argv = ['hoptrail', '--help']; hoptrail.cli.main()",
    ],
    ids=["import", "help"],
)
def test_nothing_heavy_is_loaded_before_it_is_needed(
    installed: Path, tmp_path: Path, program: str
) -> None:
    report = f"print('loaded:', [name for name in {HEAVY} if name in sys.modules])"
    code = f"import atexit, sys\natexit.register(lambda: {report})\n{program}"
    shown = run(str(installed / "python"), "-c", code, cwd=tmp_path)
    assert shown.rstrip().endswith("loaded: []")
