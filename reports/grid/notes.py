"""The sentences under a table: protocol, spread, comparability, and what is unfinished."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pdf_search.records import METRICS, Protocol, State
from pdf_search.results import divergence_advice
from pdf_search.wording import sentence_case
from reports.grid.trial_cells import over
from reports.leading import leader_sentence
from reports.published_numbers import AS_QUOTED
from reports.ranking import ranked_by, ranked_otherwise
from reports.sweep_data import SweepData
from reports.versions import sweep_versions, version_notes

PROTOCOLS = {
    Protocol.SPLIT: (
        "Protocol split: fixed split, test value at each replicate's best validation epoch."
    ),
    Protocol.GIN_CURVE: (
        "Protocol gin-curve: folds, trained on all but the held-out one; the values of all folds "
        "at the epoch that is best on the mean curve of the held-out folds (Xu et al. 2019). The "
        "epoch is chosen on the held-out folds themselves, so the numbers are optimistic."
    ),
    Protocol.INNER: (
        "Protocol inner: folds; a tenth of each training part is held out to choose the epoch, "
        "the value is that of the held-out fold."
    ),
    Protocol.NESTED: (
        "Protocol nested: the runs of inner; for each held-out fold the setting that is best on "
        "the tenth held out of its training part. The held-out fold chooses nothing."
    ),
}
PUBLISHED_ROWS = (
    "Published rows are printed as in their source. Table numbers refer to the PDF paper: Towards "
    "Better Graph Representation Learning with Parameterized Decomposition & Filtering, ICML 2023."
)
SEARCH_WITH_FOLDS = (
    "Search values: mean over folds on a validation part of each training fold, never on a "
    "held-out part."
)


def baseline_name(metric: str) -> str:
    """Name of the predictor without a model, which depends on the metric."""
    if METRICS[metric].mode == "min":
        return "mean predictor"
    return "majority class" if metric == "accuracy" else "constant predictor"


def table_notes(
    data: SweepData, split: str, quoted: bool, marks: Sequence[str] = ()
) -> Iterator[str]:
    """Yield the notes that a reader of a sweep's table must know, one text per topic.

    ``split`` is that of the printed numbers, ``valid`` or ``test``. ``quoted`` says whether
    published rows are shown. ``marks`` are those of the rows.
    """
    protocol = data.sweep.protocol
    advice = divergence_advice([entry.trial for entry in data.search])
    if split == "valid" and advice:
        yield f"There is no result: {advice}."
    elif split == "valid" and not any(e.trial.state is State.COMPLETE for e in data.search):
        yield f"No trial is complete yet: `{data.command('resume')}` goes on."
    elif split == "valid":
        why = sentence_case(data.not_asked or "no configuration is confirmed yet")
        yield (
            f"{why}: our numbers are validation numbers of the search and cannot be compared with "
            f"test numbers. Run `{data.how_to_confirm}` for test numbers."
        )
    if split == "valid" and ranked_otherwise(data):
        yield f"Rows are ranked by {ranked_by(data)}; the values are of the best epoch."
    yield PROTOCOLS[protocol]
    if protocol is not Protocol.SPLIT:
        yield SEARCH_WITH_FOLDS
        yield (
            "Configuration chosen on all folds: each held-out graph was in the training part of "
            "other folds when the configuration was chosen, as is true of published tables."
        )
    replicates = over(data.confirmations or data.search)
    yield f"± is the population standard deviation (ddof 0) over n {replicates}."
    yield from (f"Data: {note}" for note in data.data_notes)
    yield from version_notes(sweep_versions(data))
    if split == "test":
        yield "Our rows keep the order of the search; no test value orders or selects anything."
        yield from filter(None, [leader_sentence(data)])
        if quoted or len(data.confirmed) > 1:
            yield marks_note(protocol is not Protocol.SPLIT, any(marks))
    if quoted:
        yield PUBLISHED_ROWS


def marks_note(folds: bool, marked: bool) -> str:
    """Explain how numbers are marked.

    ``folds`` says whether a protocol has folds, ``marked`` whether any number is marked.
    """
    text = (
        "Best is bold, second is underlined, among rows of the same protocol, training set and "
        "length that are finished and, if ours, have the most replicates (n). The baseline "
        "predictor takes no place."
    )
    if not marked:
        text += " Here fewer than two rows can be compared: none is marked."
    if folds:
        text += f" Rows '{AS_QUOTED}' come from papers with protocols of their own: not marked."
    return text
