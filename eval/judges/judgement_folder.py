"""The folder of a pairwise comparison: judgements as they finish, and the report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hoptrail.core.types import JsonDict
from hoptrail.eval.files.jsonl_log import JsonlLog
from hoptrail.eval.files.text_files import read_object, require_same, write_object
from hoptrail.eval.judges.pairs import AnswerPair
from hoptrail.eval.judges.pairwise_report import PairwiseReport
from hoptrail.eval.judges.verdicts import PairJudgement

JUDGEMENTS = "judgements.jsonl"
REPORT = "pairwise.json"
RECORD = "judged_with.json"


class JudgementFolder:
    """Judgements of two runs, kept so that no pair is paid for twice."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._log = JsonlLog(path / JUDGEMENTS)

    def resume(self, judged_with: JsonDict, pairs: Sequence[AnswerPair]) -> list[PairJudgement]:
        """Return the judgements of these very answers that an earlier call finished.

        Unjudged pairs and judgements of other answers are dropped: they are judged again.

        Args:
            judged_with: The names of the runs and all else that judgements depend on.
            pairs: The pairs to judge now.

        Raises:
            InputError: If the folder holds judgements made with other settings, or a damaged line.
        """
        record = self.path / RECORD
        if record.exists():
            require_same(read_object(record), judged_with, self.path, "judgements")
        known = [PairJudgement.from_json(row) for row in self._log.read()]
        wanted = {(pair.id, pair.fingerprint) for pair in pairs}
        kept = [
            item
            for item in known
            if item.decided_by != "unjudged" and (item.id, item.answers) in wanted
        ]
        write_object(record, judged_with)
        self._log.replace(item.to_json() for item in kept)
        return kept

    def append(self, judgement: PairJudgement) -> None:
        """Add a finished judgement."""
        self._log.append(judgement.to_json())

    def finish(self, report: PairwiseReport) -> None:
        """Write the report."""
        write_object(self.path / REPORT, report.to_json())
