import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from hoptrail.web.job_queue import Job, JobQueue


@pytest.fixture
def queue(tmp_path: Path) -> Iterator[JobQueue]:
    opened = JobQueue(tmp_path / "web.sqlite")
    yield opened
    opened.close()


def names(jobs: list[Job]) -> list[str]:
    return [job.name for job in jobs]


def test_jobs_of_one_base_and_kind_are_taken_together_in_order(queue: JobQueue) -> None:
    for base, name in (("a", "1"), ("b", "2"), ("a", "3")):
        queue.put(base, "anna", "upload", name)
    queue.put("a", "anna", "delete", "4")
    queue.put("a", "anna", "upload", "5")

    assert names(queue.waiting(["a", "b"], 10)) == ["1", "3"]
    assert names(queue.waiting(["b"], 10)) == ["2"]
    assert queue.waiting([], 10) == []


def test_a_file_that_is_uploaded_twice_is_not_taken_together(queue: JobQueue) -> None:
    for name in ("same", "same", "other"):
        queue.put("a", "anna", "upload", name)

    assert names(queue.waiting(["a"], 10)) == ["same"]


def test_what_ran_when_the_process_ended_keeps_its_place(tmp_path: Path) -> None:
    first = JobQueue(tmp_path / "web.sqlite")
    jobs = [first.put("a", "anna", "upload", name) for name in "123"]
    first.begin(jobs[:1])
    first.tell_progress(jobs[:1], {"stage": "embed", "done": 1, "total": 3})
    first.close()

    second = JobQueue(tmp_path / "web.sqlite")
    second.requeue_running()

    assert names(second.waiting(["a"], 10)) == ["1", "2", "3"]
    assert second.attempts(jobs[0]) == 1
    second.close()


def test_to_wait_for_another_writer_is_no_try(queue: JobQueue) -> None:
    job = queue.put("a", "anna", "upload", "1")
    queue.begin([job])

    queue.requeue([job], counts=False)

    assert queue.attempts(job) == 0


def test_a_job_without_any_document_failed_and_one_with_some_is_done(queue: JobQueue) -> None:
    errors = [{"document": "x", "reason": "no PDF"}]
    one, other = (queue.put("a", "anna", "upload", name) for name in "12")

    queue.finish(one, errors=errors)
    queue.finish(other, documents=["uploads/2"], errors=errors)

    states = [found.state for job in (one, other) if (found := queue.find(job.id))]
    assert states == ["failed", "done"]
    assert queue.count() == {"failed": 1, "done": 1}
    assert names(queue.latest("a", 10)) == ["2", "1"]


def test_clients_do_not_see_who_else_uploads(queue: JobQueue) -> None:
    assert "owner" not in queue.put("a", "anna", "upload", "1").shown()


def test_a_queue_of_an_earlier_version_is_read_and_takes_notes(tmp_path: Path) -> None:
    first = JobQueue(tmp_path / "web.sqlite")
    job = first.put("a", "anna", "upload", "1")
    first.close()
    with sqlite3.connect(tmp_path / "web.sqlite") as file:
        file.execute("ALTER TABLE jobs DROP COLUMN notes")

    second = JobQueue(tmp_path / "web.sqlite")
    second.finish(job, documents=["uploads/1"], notes=["there is another one"])

    found = second.find(job.id)
    assert found is not None and found.notes == ("there is another one",)
    second.close()
