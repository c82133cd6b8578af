"""The wheel that a user installs, built through the sdist, and the lock that make keeps to."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import venv
import zipfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
FOLDERS = ("agents", "graphs", "tools", "prompts", "retrievers", "eval")
AUTOMATION = ("Makefile", ".ci/run", ".github/workflows/ci.yml")
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
    venv.create(home, symlinks=os.name != "nt")
    programs = home / ("Scripts" if os.name == "nt" else "bin")
    python = programs / "python"
    # What a program imports is compiled when it does; the other modules are not needed here.
    install = ("install", "--no-compile", "--no-deps", "--no-index", "--quiet")
    run(sys.executable, "-m", "pip", "--python", str(python), *install, str(distribution.wheel))
    (site_packages,) = [*home.glob("lib/python*/site-packages"), *home.glob("Lib/site-packages")]
    borrowed = sysconfig.get_path("purelib")
    (site_packages / "borrowed.pth").write_text(f"{borrowed}\n", encoding="utf-8")
    return programs


def run(*command: str, cwd: Path | None = None) -> str:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def pins() -> list[Requirement]:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    return [
        Requirement(line) for line in lines if line.strip() and not line.lstrip().startswith("#")
    ]


def stated_requirements() -> list[Requirement]:
    """Return every requirement of pyproject.toml but those of Hoptrail on its own extras."""
    stated = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project = stated["project"]
    groups = [*project["optional-dependencies"].values(), *stated["dependency-groups"].values()]
    lines = [*project["dependencies"], *(line for group in groups for line in group)]
    requirements = [Requirement(line) for line in lines]
    return [each for each in requirements if each.name != project["name"]]


def source_files() -> set[str]:
    """Return every module and prompt of the sources, as paths inside the wheel."""
    package = ROOT / "src" / "hoptrail"
    roots = {"hoptrail": package} | {f"hoptrail/{name}": ROOT / name for name in FOLDERS}
    return {
        f"{prefix}/{path.relative_to(root).as_posix()}"
        for prefix, root in roots.items()
        for path in root.rglob("*")
        if path.suffix
        in {".py", ".md", ".typed", ".css", ".html", ".js", ".npz", ".onnx", ".svg", ".txt"}
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


def test_the_wheel_is_no_larger_than_a_release_allows(distribution: Distribution) -> None:
    release = runpy.run_path(str(ROOT / ".ci" / "release.py"))
    assert distribution.wheel.stat().st_size <= release["LARGEST_WHEEL"]


def test_no_requirement_is_under_the_gpl() -> None:
    run(sys.executable, str(ROOT / ".ci" / "licences.py"))


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


def test_the_lock_pins_every_requirement_to_a_version_that_meets_it() -> None:
    locked: dict[str, list[str]] = {}
    for pin in pins():
        (exact,) = pin.specifier
        locked.setdefault(canonicalize_name(pin.name), []).append(exact.version)
    unmet = [
        str(stated)
        for stated in stated_requirements()
        if not (versions := locked.get(canonicalize_name(stated.name), []))
        or not all(stated.specifier.contains(version) for version in versions)
    ]
    assert unmet == []


def test_the_lock_holds_exact_versions_only() -> None:
    assert [str(pin) for pin in pins() if [each.operator for each in pin.specifier] != ["=="]] == []


def test_the_lock_names_no_address_and_no_folder() -> None:
    lock = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    assert re.findall(r"://|^-|(?<!\w)[./~]*/\w+|\\\\", lock, re.MULTILINE) == []


@pytest.mark.parametrize("name", AUTOMATION)
def test_nothing_chooses_pips_index_or_torch_by_a_variable(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert re.findall(r"PIP_[A-Z_]+|UV_(?!VENV|PYTHON_DOWNLOADS)[A-Z_]+|TORCH_[A-Z_]+", text) == []


@pytest.mark.parametrize("name", (".ci/run", ".github/workflows/ci.yml"))
def test_continuous_integration_sets_no_variable(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert re.findall(r"^\s*(?:export\s+\w+|env:|\w+=\S)", text, re.MULTILINE) == []


def test_make_installs_by_the_lock_alone(tmp_path: Path) -> None:
    """A change of the lock makes the stamps stale, and each installation is held by it."""
    environment = f"VENV={tmp_path / 'environment'}"
    planned = run("make", "--dry-run", environment, "demo", "unit", "serve", cwd=ROOT)
    installations = re.findall(r"^.*-m pip install.*$", planned, re.MULTILINE)
    assert len(installations) > 3
    assert [line for line in installations if " -c constraints.txt " not in line] == []
    assert len(re.findall(r"^touch .*hoptrail-", planned, re.MULTILINE)) == 3
