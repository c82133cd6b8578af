from __future__ import annotations

import importlib.metadata
import logging

import opentelemetry.trace
import pytest
from opentelemetry.util._once import Once

from hoptrail.core.errors import MissingExtraError, SettingsError
from hoptrail.core.settings import Tracing
from hoptrail.core.tracing import exporting
from hoptrail.core.tracing.exporting import check_collector, endpoint_of, exported, is_wanted
from hoptrail.core.tracing.spans import span
from tests.recorded import Recorded

COLLECTOR = "http://127.0.0.1:4318"


@pytest.mark.parametrize(
    ("variables", "enabled", "wanted"),
    [
        ({}, None, False),
        ({}, True, True),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": COLLECTOR}, None, True),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": COLLECTOR}, None, True),
        ({"OTEL_TRACES_EXPORTER": "console"}, None, True),
        ({"OTEL_TRACES_EXPORTER": "none"}, None, False),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": COLLECTOR}, False, False),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": COLLECTOR, "OTEL_SDK_DISABLED": "true"}, True, False),
    ],
)
def test_variables_ask_for_export_unless_the_setting_says_otherwise(
    variables: dict[str, str],
    enabled: bool | None,
    wanted: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert is_wanted(Tracing(enabled=enabled)) is wanted


@pytest.mark.parametrize(
    ("variables", "enabled", "traces", "metrics"),
    [
        ({}, True, ["otlp"], ["otlp"]),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": COLLECTOR}, None, ["otlp"], ["otlp"]),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": COLLECTOR}, None, ["otlp"], []),
        (
            {"OTEL_EXPORTER_OTLP_ENDPOINT": COLLECTOR, "OTEL_METRICS_EXPORTER": "none"},
            None,
            ["otlp"],
            [],
        ),
        ({"OTEL_TRACES_EXPORTER": "console, otlp"}, None, ["console", "otlp"], []),
        ({"OTEL_METRICS_EXPORTER": "none"}, True, ["otlp"], []),
    ],
)
def test_metrics_go_only_where_they_were_asked_for(
    variables: dict[str, str],
    enabled: bool | None,
    traces: list[str],
    metrics: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    chosen = Tracing(enabled=enabled)
    assert exporting._exporters("traces", chosen) == traces
    assert exporting._exporters("metrics", chosen) == metrics


def test_endpoint_is_completed_by_the_signal(monkeypatch: pytest.MonkeyPatch) -> None:
    assert endpoint_of("traces") == "http://localhost:4318/v1/traces"
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "https://otel.example/api/")
    assert endpoint_of("metrics") == "https://otel.example/api/v1/metrics"
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "https://other.example/in")
    assert endpoint_of("traces") == "https://other.example/in"


def test_first_warning_alone_is_told_in_one_line() -> None:
    told: list[str] = []
    listener = exporting._FirstWarning(told.append)
    log = logging.getLogger("opentelemetry.exporter.otlp.proto.http.trace_exporter")
    with listener.listening():
        log.warning(
            "Transient error %s encountered while exporting %s batch, retrying in %.2fs.",
            "HTTPConnectionPool(host='127.0.0.1', port=9): ... [Errno 111] Connection refused'))",
            "spans",
            1.0,
        )
        log.error("Failed to export spans batch code: None, reason: late")
    assert told == [
        "warning: traces do not arrive at http://localhost:4318/v1/traces: Connection refused; "
        "all else goes on"
    ]


def test_refused_metrics_are_told_with_what_to_do() -> None:
    told: list[str] = []
    log = logging.getLogger("opentelemetry.exporter.otlp.proto.http.metric_exporter")
    with exporting._FirstWarning(told.append).listening():
        log.error("Failed to export metrics batch code: 404, reason: Not Found")
    (line,) = told
    assert "metrics do not arrive" in line and "OTEL_METRICS_EXPORTER=none" in line


def test_missing_extra_is_an_error_where_the_setting_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exporting, "require", _missing)
    with (
        pytest.raises(MissingExtraError, match="opentelemetry"),
        exported(Tracing(enabled=True), print),
    ):
        pass


def test_missing_extra_is_told_where_only_a_variable_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exporting, "require", _missing)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", COLLECTOR)
    told: list[str] = []
    with exported(Tracing(), told.append):
        pass
    assert told == [
        "warning: tracing needs the package 'opentelemetry', so nothing is traced "
        '(pip install "hoptrail[otel]")'
    ]


@pytest.fixture
def grpc_without_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", "otlp")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
    nothing = importlib.metadata.EntryPoints()
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda **_: nothing)


@pytest.mark.usefixtures("grpc_without_its_package")
def test_exporter_that_is_not_installed_is_told_where_only_a_variable_names_it() -> None:
    told: list[str] = []
    with exported(Tracing(), told.append):
        told.append("the answer")
    assert told == [
        "warning: OTEL_TRACES_EXPORTER: otlp_proto_grpc is not installed, so nothing is traced "
        "(pip install opentelemetry-exporter-otlp-proto-grpc)",
        "the answer",
    ]


@pytest.mark.usefixtures("grpc_without_its_package")
def test_exporter_that_is_not_installed_is_an_error_where_the_setting_asks() -> None:
    with pytest.raises(SettingsError) as error, exported(Tracing(enabled=True), print):
        pass
    assert error.value.hint == "pip install opentelemetry-exporter-otlp-proto-grpc"
    row = check_collector(Tracing())
    assert row is not None and not row["ok"] and "otlp_proto_grpc" in row["error"]


def _missing(module: str, *, extra: str, purpose: str) -> None:
    raise MissingExtraError(
        f"{purpose} needs the package 'opentelemetry'", hint=f'pip install "hoptrail[{extra}]"'
    )


def test_exporter_that_prints_leaves_stdout_to_the_results(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", "console")
    monkeypatch.setattr(opentelemetry.trace, "_TRACER_PROVIDER", None)
    monkeypatch.setattr(opentelemetry.trace, "_TRACER_PROVIDER_SET_ONCE", Once())

    with exported(Tracing(), print), span("work"):
        pass

    shown = capsys.readouterr()
    assert shown.out == ""
    assert '"name": "work"' in shown.err and '"service.name": "hoptrail"' in shown.err


def test_provider_of_an_application_stays(
    recorded: Recorded, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", "console")
    with exported(Tracing(), print), span("work"):
        pass
    assert recorded.names == ["work"]
