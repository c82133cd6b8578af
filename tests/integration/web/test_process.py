"""`hoptrail web` as a process: uploads, and how it ends."""

from __future__ import annotations

import io
import json
import shutil
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from email.message import EmailMessage
from pathlib import Path

import httpx
import pytest

from hoptrail.core.types import JsonDict
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.testing import OpenAIStubServer
from hoptrail.web.job_queue import JobQueue
from hoptrail.web.keys import LOCAL
from tests.commands import run
from tests.servers.processes import free_port
from tests.serving import ServerProcess, serving_web
from tests.waiting import wait_for

pytestmark = pytest.mark.slow

FINCH = "The Blue Finch was a schooner that was built at the Marl Yard in 1901."
YARD = "The Marl Yard was founded by Ida Rook."
WREN = "The Red Wren was a ketch that was built at the Marl Yard in 1903."
QUESTION = "Who founded the yard that built the Blue Finch?"


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A text and the base of it."""
    folder = tmp_path_factory.mktemp("finch") / "ships"
    folder.mkdir()
    (folder / "finch.txt").write_text(FINCH, encoding="utf-8")
    done = run("index", folder / "finch.txt", "--kb", folder / "kb", "--extractor", "nlp")
    assert done.code == 0, done.err
    return folder


@pytest.fixture
def folder(indexed: Path, tmp_path: Path) -> Path:
    """Both of a test's own, in a folder of the same name: documents are called after it."""
    return Path(shutil.copytree(indexed, tmp_path / indexed.name))


@contextmanager
def served(folder: Path, name: str, *arguments: str, **environment: str) -> Iterator[ServerProcess]:
    """Run the command in a folder below, so that it may be run again over the same data."""
    place = folder / name
    place.mkdir()
    common = ("--kb", f"ships={folder / 'kb'}", "--data", str(folder / "data"))
    with serving_web(place, *common, *arguments, **environment) as server:
        yield server


def client_of(server: ServerProcess) -> httpx.Client:
    return httpx.Client(base_url=f"{server.url}/api/v1", timeout=60)


def upload(client: httpx.Client, name: str, text: str | bytes) -> JsonDict:
    response = client.post("bases/ships/documents", params={"name": name}, content=text)
    assert response.status_code == 202, response.text
    job: JsonDict = response.json()
    return job


def job_when(client: httpx.Client, job: JsonDict, *states: str) -> JsonDict:
    """Return a job when it is in one of these states."""

    def reached() -> JsonDict | None:
        now: JsonDict = client.get(f"jobs/{job['id']}").json()
        return now if now["state"] in states else None

    return wait_for(reached, f"the job is never {' or '.join(states)}")


def finished(client: httpx.Client, job: JsonDict) -> JsonDict:
    return job_when(client, job, "done", "failed")


def test_an_uploaded_document_answers_and_a_deleted_one_does_not(folder: Path) -> None:
    with served(folder, "run") as server, client_of(server) as client:
        jobs = [
            upload(client, "yard.txt", YARD),
            upload(client, "broken.pdf", b"no pdf"),
            upload(client, "hostile.html", "<script>alert(1)</script><p>The mill burned.</p>"),
        ]
        good, broken, hostile = (finished(client, job) for job in jobs)

        assert (good["state"], good["documents"]) == ("done", ["uploads/yard.txt"])
        assert broken["state"] == "failed"
        assert broken["errors"][0]["document"] == "broken.pdf"
        assert hostile["state"] == "done"
        assert client.post("ask", json={"question": QUESTION}).json()["answer"] == "Ida Rook"

        query = {"id": "uploads/yard.txt"}
        gone = finished(client, client.delete("bases/ships/document", params=query).json())

        assert gone["state"] == "done"
        assert client.get("bases/ships/document", params=query).status_code == 404
        without = client.post("ask", json={"question": QUESTION}).json()
        assert without["abstained"] or without["perhaps"]
        assert "Ida Rook" not in json.dumps(without)
        assert not list(folder.glob("data/bases/ships/uploads/yard.txt"))


def test_an_upload_replaces_the_document_of_its_name(folder: Path) -> None:
    with served(folder, "run") as server, client_of(server) as client:
        for text in (YARD, WREN):
            assert finished(client, upload(client, "a.txt", text))["state"] == "done"

        query = {"id": "uploads/a.txt"}
        assert client.get("bases/ships/document", params=query).json()["text"] == WREN


def test_an_upload_that_is_called_as_a_file_of_a_folder_says_so(folder: Path) -> None:
    with served(folder, "run") as server, client_of(server) as client:
        job = finished(client, upload(client, "finch.txt", WREN))

    assert (job["state"], job["documents"]) == ("done", ["uploads/finch.txt"])
    [note] = job["notes"]
    assert f"also has {folder.name}/finch.txt" in note


def mailbox(count: int) -> str:
    mail = "From x\nMessage-ID: <m{0}@example.org>\nSubject: Bees {0}\n\nHive {0} swarmed.\n\n"
    return "".join(mail.format(number) for number in range(count))


def test_a_mailbox_is_kept_until_its_last_document_is_deleted(folder: Path) -> None:
    box = folder / "data/bases/ships/uploads/box.mbox"
    with served(folder, "run") as server, client_of(server) as client:
        made = finished(client, upload(client, "box.mbox", mailbox(3)))

        assert made["documents"] == [f"box/m{number}@example.org" for number in range(3)]
        for doc_id in made["documents"]:
            assert box.exists()
            response = client.delete("bases/ships/document", params={"id": doc_id})
            assert finished(client, response.json())["state"] == "done"

    assert not box.exists()


def test_a_file_that_gives_no_document_is_not_kept(folder: Path) -> None:
    with served(folder, "run") as server, client_of(server) as client:
        sent = {
            "a:b.bin": b"\x00\x01\x02" * 50,
            "broken.pdf": b"no pdf",
            "blank.jsonl": b"\n\n",
            "finch.jsonl": b"no json\n",
        }
        jobs = [upload(client, name, content) for name, content in sent.items()]
        done = [finished(client, job) for job in jobs]

    uploads = folder / "data/bases/ships/uploads"
    assert [(job["state"], len(job["errors"])) for job in done] == [("failed", 1)] * 4
    assert not list(uploads.iterdir())


def test_a_failed_run_keeps_no_file_that_gave_no_document(folder: Path) -> None:
    (folder / "box.jsonl").write_text('{"id": "1", "text": "The mill burned."}\n')
    assert run("index", folder / "box.jsonl", "--kb", folder / "kb", "--extractor", "nlp").code == 0
    with served(folder, "run") as server, client_of(server) as client:
        job = finished(client, upload(client, "box.mbox", mailbox(1)))

        assert job["state"] == "failed"
        assert "a second one of that name" in job["errors"][0]["reason"]
        uploads = folder / "data/bases/ships/uploads"
        assert not list(uploads.iterdir())


def test_an_upload_names_the_parts_of_it_that_could_not_be_read(folder: Path) -> None:
    lines = '{"id": "1", "text": "Bees swarm."}\n{"id": "2", "text": "Bees dance."}\n{"id": \n'
    with served(folder, "run") as server, client_of(server) as client:
        sent: dict[str, str | bytes] = {
            "bees.jsonl": lines,
            "mail.eml": mail_with_attachment("plan.zip"),
            "prices.xlsx": workbook_with_hidden_sheet("Secret"),
            "mid.csv": 'name,price\nfinch,3\nwren,"4\ntern,5\n',
        }
        jobs = [upload(client, name, content) for name, content in sent.items()]
        bees, mail, prices, mid = (finished(client, job) for job in jobs)

    assert {job["state"] for job in (bees, mail, prices, mid)} == {"done"}
    assert bees["documents"] == ["bees/1", "bees/2"]
    places = [[one["document"] for one in job["errors"]] for job in (bees, mail, prices)]
    assert places == [
        ["bees.jsonl:3"],
        ["mail.eml, attachment plan.zip"],
        ["prices.xlsx, sheet Secret"],
    ]
    assert mid["documents"] == ["uploads/mid.csv"]
    [error] = mid["errors"]
    assert error["document"].startswith("mid.csv")


def mail_with_attachment(name: str) -> bytes:
    mail = EmailMessage()
    mail["Subject"], mail["From"] = "Bees", "anna@example.org"
    mail.set_content("The plan is attached.")
    mail.add_attachment(b"\x00\x01", maintype="application", subtype="zip", filename=name)
    return mail.as_bytes()


def workbook_with_hidden_sheet(name: str) -> bytes:
    from openpyxl import Workbook

    book = Workbook()
    for sheet in (book.worksheets[0], book.create_sheet(name)):
        sheet.append(["name", "price"])
        sheet.append(["finch", 3])
    sheet.sheet_state = "hidden"
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def test_uploads_wait_for_another_writer(folder: Path) -> None:
    with served(folder, "run") as server, client_of(server) as client:
        with KnowledgeBase.open(folder / "kb", writable=True):
            job = upload(client, "yard.txt", YARD)
            for state in ("running", "queued"):  # it was tried, in vain
                job_when(client, job, state)

        assert finished(client, job)["state"] == "done"


def test_a_killed_server_loses_no_upload_and_no_turn(folder: Path) -> None:
    with served(folder, "first") as server, client_of(server) as client:
        body = {"question": QUESTION, "thread": "new"}
        kept = client.post("ask", json=body).json()
        jobs = [upload(client, f"{number}.txt", f"{YARD} {number}") for number in range(5)]
        with suppress_transport(), client.stream("POST", "ask", json=body) as cut:
            server.signal(signal.SIGKILL)
            cut.read()
        server.wait()

    with served(folder, "second") as server, client_of(server) as client:
        assert {finished(client, job)["state"] for job in jobs} == {"done"}
        thread = client.get(f"threads/{kept['thread']}").json()
        assert [turn["question"] for turn in thread["turns"]] == [QUESTION]
        for entry in client.get("threads").json()["threads"]:
            follow_up = {"question": QUESTION, "thread": entry["id"]}
            assert client.post("ask", json=follow_up).json()["answer"] == "Ida Rook"


def test_a_deletion_that_a_killed_server_had_carried_out_is_done(folder: Path) -> None:
    (folder / "data").mkdir()
    queue = JobQueue(folder / "data" / "web.sqlite")
    job = queue.put("ships", LOCAL.name, "delete", "uploads/yard.txt")
    queue.begin([job])
    queue.close()

    with served(folder, "run") as server, client_of(server) as client:
        ended = finished(client, job.shown())

    assert (ended["state"], ended["documents"]) == ("done", ["uploads/yard.txt"])


def test_sigterm_lets_an_upload_that_has_begun_finish_and_refuses_new_ones(folder: Path) -> None:
    may_end = threading.Event()

    def pieces() -> Iterator[bytes]:
        yield YARD.encode()
        may_end.wait(60)
        yield WREN.encode()

    with served(folder, "run") as server, client_of(server) as client:
        sent: list[httpx.Response] = []
        address, place = "bases/ships/documents", {"name": "yard.txt"}
        uploading = threading.Thread(
            target=lambda: sent.append(client.post(address, params=place, content=pieces()))
        )
        uploading.start()
        incoming = folder / "data" / "bases" / "ships" / "incoming"
        wait_for(lambda: list(incoming.glob("*")), "the upload has not begun")

        server.signal(signal.SIGTERM)
        time.sleep(0.3)
        late = client.post(address, params=place, content=YARD)
        time.sleep(6)  # longer than the last bytes of a response may take
        may_end.set()
        uploading.join()

        assert (late.status_code, late.json()["error"]["code"]) == (503, "stopping")
        assert [one.status_code for one in sent] == [202]
        assert server.wait() == 0


@contextmanager
def answering_late(
    folder: Path,
) -> Iterator[tuple[ServerProcess, OpenAIStubServer, threading.Event]]:
    """Serve with a model that answers once the event is set."""
    may_answer = threading.Event()

    def reply(request: JsonDict) -> str:
        may_answer.wait(60)
        return "FINAL ANSWER: Ida Rook"

    with OpenAIStubServer(reply) as stub:
        model = {
            "HOPTRAIL_MODEL": "openai:stub",
            "HOPTRAIL_BASE_URL": stub.url,
            "HOPTRAIL_API_KEY": "none",
        }
        with served(folder, "run", "--preset", "reasoning", **model) as server:
            yield server, stub, may_answer


def test_sigterm_lets_a_running_answer_finish_and_refuses_new_questions(folder: Path) -> None:
    with (
        answering_late(folder) as (server, stub, may_answer),
        client_of(server) as client,
        ThreadPoolExecutor(1) as asking,
    ):
        answer = asking.submit(client.post, "ask", json={"question": QUESTION})
        wait_for(lambda: stub.calls, "the model was not asked")

        server.signal(signal.SIGTERM)
        time.sleep(0.3)
        late = httpx.post(f"{server.url}/api/v1/ask", json={"question": QUESTION})
        ready = httpx.get(f"{server.url}/ready")
        may_answer.set()

        assert (late.status_code, late.json()["error"]["code"]) == (503, "stopping")
        assert ready.status_code == 503
        assert answer.result().status_code == 200
        assert server.wait() == 0


def test_a_new_thread_is_listed_with_its_answer_where_its_asker_is_not_told_before(
    folder: Path,
) -> None:
    with (
        answering_late(folder) as (server, stub, may_answer),
        client_of(server) as client,
        ThreadPoolExecutor(1) as asking,
    ):
        answer = asking.submit(client.post, "ask", json={"question": QUESTION, "thread": "new"})
        wait_for(lambda: stub.calls, "the model was not asked")
        before = client.get("threads").json()["threads"]
        may_answer.set()
        thread = answer.result().json()["thread"]
        after = client.get("threads").json()["threads"]

    assert before == []
    assert [one["id"] for one in after] == [thread]


def test_another_address_needs_a_key(folder: Path) -> None:
    port = str(free_port())
    open_door = run("web", "--kb", f"ships={folder / 'kb'}", "--host", "0.0.0.0", "--port", port)

    assert open_door.code == 1
    assert "hoptrail key" in open_door.err


def test_a_key_is_made_with_the_lines_for_the_settings() -> None:
    made = json.loads(run("key", "anna", "--json").out)

    assert made["key"].startswith("hoptrail-")
    assert len(made["sha256"]) == 64
    assert run("key", "no name").code == 1


@contextmanager
def suppress_transport() -> Iterator[None]:
    try:
        yield
    except httpx.TransportError:
        pass
