"""Carries out the queue's jobs, one after another, each batch in a process of its own."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from filelock import FileLock, Timeout

from hoptrail.core.errors import HoptrailError, NotAKnowledgeBaseError
from hoptrail.core.settings import ServedBase
from hoptrail.core.types import JsonDict
from hoptrail.indexing.options import ExtractorName
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.web.job_queue import Job, JobQueue
from hoptrail.web.uploaded_files import UploadedFiles

_BATCH = 50  # jobs of one index run: most of a short run is its beginning and its end
_MOST_ATTEMPTS = 3
_POLL_SECONDS = 2.0
_LOCKED_SECONDS = 5.0
_LONGEST_LINE = 16 * 1024 * 1024
_UPLOADS = "uploads"  # the folder of uploaded files, and so the source of most documents of them
_log = logging.getLogger(__name__)


class JobWorker:
    """Works on the queue while the application runs.

    Of several processes that share a data folder, one works.

    Args:
        queue: Holds the jobs.
        bases: Where knowledge bases lie, by name.
        data: The data folder.
        extractor: Reads uploaded documents.
        beta: Share of their passages that a model reads.
    """

    def __init__(
        self,
        queue: JobQueue,
        bases: Mapping[str, ServedBase],
        data: Path,
        extractor: ExtractorName,
        *,
        beta: float,
    ) -> None:
        self._queue = queue
        self._bases = bases
        self._data = data
        self._reading: JsonDict = {"extractor": extractor, "beta": beta}
        self._has_more = asyncio.Event()
        self._process: asyncio.subprocess.Process | None = None
        self._running: Sequence[Job] = ()

    def incoming(self, base: str, job_id: str) -> Path:
        """Return where the file of an upload lies until its job is done."""
        return self._data / "bases" / base / "incoming" / job_id

    def wake(self) -> None:
        """Look into the queue now."""
        self._has_more.set()

    async def run(self) -> None:
        """Work until cancelled; what runs then is done again after the next start."""
        lock = FileLock(self._data / "writer.lock", thread_local=False)
        while True:
            try:
                await asyncio.to_thread(lock.acquire, blocking=False)
                break
            except Timeout:
                await asyncio.sleep(_POLL_SECONDS)
        try:
            await asyncio.to_thread(self._queue.requeue_running)
            while True:
                self._has_more.clear()
                if not await self._work_or_fail():
                    with suppress(TimeoutError):
                        # Another process that shares the folder may have added a job.
                        await asyncio.wait_for(self._has_more.wait(), _POLL_SECONDS)
        finally:
            if self._process is not None and self._process.returncode is None:
                self._process.terminate()
                await self._process.wait()
            self._queue.requeue(self._running, counts=False)
            lock.release()

    async def _work_or_fail(self) -> bool:
        """Do the same as `_work`; a queue that fails, as on a full disk, is tried again later."""
        try:
            return await self._work()
        except Exception:
            _log.exception("the queue of uploads cannot be used")
            return False

    async def _work(self) -> bool:
        """Carry out one batch, and return whether there was one."""
        jobs = await asyncio.to_thread(self._queue.waiting, self._bases, _BATCH)
        if not jobs:
            return False
        tried = await asyncio.to_thread(self._queue.attempts, jobs[0])
        if tried:
            jobs = jobs[:1]  # alone, so that what is wrong with it harms no other
        if tried >= _MOST_ATTEMPTS:
            reason = f"reading it failed {tried} times; whoever runs the server can tell why"
            await self._fail(jobs, reason)
            return True
        self._running = jobs
        await asyncio.to_thread(self._queue.begin, jobs)
        try:
            outcome = await self._carry_out(jobs, again=tried > 0)
        except Exception as error:
            _log.exception("jobs failed")
            reason = "the server failed; whoever runs it can tell why"
            outcome = {"error": {"code": "internal", "message": reason, "hint": str(error)}}
        await self._take(jobs, outcome)
        self._running = ()
        return True

    async def _take(self, jobs: Sequence[Job], outcome: JsonDict) -> None:
        error = outcome.get("error")
        if error is None:
            for job in jobs:
                done = outcome["report"].get(job.name, {})
                await asyncio.to_thread(self._finish, job, bool(done.get("documents")), done)
        elif error["code"] == "locked":
            await asyncio.to_thread(self._queue.requeue, jobs, counts=False)
            await asyncio.sleep(_LOCKED_SECONDS)
        elif error["code"] == "ended" or len(jobs) > 1:
            await asyncio.to_thread(self._queue.requeue, jobs, counts=True)
        else:
            # Who uploads reads neither the log nor this machine's folders, and runs no command.
            _log.warning("%s: %s (%s)", jobs[0].name, error["message"], error["hint"])
            folder = f"{self._data.resolve() / 'bases' / jobs[0].base}/"
            await self._fail(jobs, error["message"].replace(folder, ""))

    async def _fail(self, jobs: Sequence[Job], reason: str) -> None:
        for job in jobs:
            done = {"errors": [{"document": job.name, "reason": reason}]}
            keeps = job.kind != "upload" or await asyncio.to_thread(self._has_documents, job)
            await asyncio.to_thread(self._finish, job, keeps, done)

    def _has_documents(self, job: Job) -> bool:
        """Return whether the base holds documents of a failed upload, or cannot tell."""
        try:
            with KnowledgeBase.open(self._bases[job.base].records) as kb:
                return bool(UploadedFiles(kb).documents(self._uploads(job.base) / job.name))
        except NotAKnowledgeBaseError:
            return False
        except HoptrailError:
            return True

    def _finish(self, job: Job, keeps: bool, done: JsonDict) -> None:
        """Note what a job came to; an upload's file goes before, where it is not kept.

        Whoever ends the server in between finds the job waiting, with all that it needs.
        """
        is_upload = job.kind == "upload"
        if is_upload and not keeps:
            (self._uploads(job.base) / job.name).unlink(missing_ok=True)
        self._queue.finish(job, **done)
        if is_upload:
            self.incoming(job.base, job.id).unlink(missing_ok=True)

    def _uploads(self, base: str) -> Path:
        return self._data.resolve() / "bases" / base / _UPLOADS

    async def _carry_out(self, jobs: Sequence[Job], *, again: bool) -> JsonDict:
        """Run the process on a batch, which was begun before or not; return its last line."""
        task = {**await asyncio.to_thread(self._task, jobs), "again": again}
        self._process = process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "hoptrail.web.writer_process"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=_LONGEST_LINE,
            start_new_session=True,  # Ctrl-C is for the server, which ends it in its turn
        )
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(json.dumps(task).encode())
        process.stdin.close()
        outcome: JsonDict = {"error": {"code": "ended", "message": "it ended", "hint": ""}}
        async for line in process.stdout:
            message = _parsed(line)
            if "progress" in message:
                await asyncio.to_thread(self._queue.tell_progress, jobs, message["progress"])
            elif message:
                outcome = message
        await process.wait()
        return outcome

    def _task(self, jobs: Sequence[Job]) -> JsonDict:
        """Return the task of a batch; uploaded files get their names."""
        base, kind = jobs[0].base, jobs[0].kind
        where = self._bases[base].model_dump(mode="json")
        task: JsonDict = {"name": base, "base": where, "kind": kind}
        folder = self._uploads(base)
        if kind == "delete":
            return {**task, "documents": [job.name for job in jobs], "uploads": str(folder)}
        folder.mkdir(parents=True, exist_ok=True)
        paths = []
        for job in jobs:
            incoming, path = self.incoming(base, job.id), folder / job.name
            if incoming.exists():
                path.unlink(missing_ok=True)
                os.link(incoming, path)  # not moved: this may be done again after a crash
            paths.append(str(path))
        return {**task, "paths": paths, "reading": self._reading}


def _parsed(line: bytes) -> JsonDict:
    try:
        message = json.loads(line)
    except ValueError:
        return {}  # a library's own print
    return message if isinstance(message, dict) else {}
