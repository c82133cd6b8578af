import io

from rich.console import Console

from hoptrail.cli.train import show_summary, validation_line


def test_a_validation_is_one_line() -> None:
    row = {"step": 50, "epoch": 1, "loss": 1.23456, "hits@1": 0.4, "hit": 0.5, "set_f1": 0.3}
    line = validation_line({**row, "seconds": 61.2})
    assert line == "step 50, epoch 1: loss 1.235, Hits@1 0.400, Hit 0.500, F1 0.300, 61 s"


def test_a_summary_names_the_checkpoint_and_skipped_steps() -> None:
    stream = io.StringIO()
    summary = {
        "steps": 40,
        "planned_steps": 60,
        "best_step": 20,
        "metrics": {"hits@1": 0.4, "hit": 0.5, "set_f1": 0.3},
        "skipped_steps": 2,
        "left_out": 7,
        "trained_parameters": 1234567,
        "seconds": 90.0,
        "seconds_per_step": 1.5,
        "peak_memory_bytes": 2**31,
        "checkpoint": "runs/a/checkpoint",
    }
    show_summary(summary, Console(file=stream, width=80))
    words = " ".join(stream.getvalue().split())
    assert "steps 40 of 60" in words
    assert "skipped steps 2" in words
    assert "left out 7" in words
    assert "peak memory 2.00 GiB" in words
    assert "checkpoint runs/a/checkpoint" in words
