"""The verb ``predict`` predicts new molecules with a trained model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Option

from pdf_search.cli.option_groups import option_groups
from pdf_search.cli.options import AsJson, DataOptions, OutputOptions
from pdf_search.cli.output import print_json, print_result, say
from pdf_search.cli.process import let_idle_threads_sleep
from pdf_search.cli.trained import RunName, TrialOptions, find_run, loaded
from pdf_search.errors import ConfigError, DataError
from pdf_search.paths import expanded
from pdf_search.wording import counted


@option_groups
def predict(
    run: RunName,
    csv: Annotated[Path, Option("--csv", metavar="FILE", help="Molecules, one a row.")],
    which: TrialOptions,
    output: OutputOptions,
    source: DataOptions,
    smiles: Annotated[str | None, Option(metavar="COLUMN", help="Default: as in training.")] = None,
    to: Annotated[
        Path | None, Option(metavar="FILE", help="CSV to write. Default: standard output.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Predict the molecules of a CSV file: mean and spread over the run's seeds or folds.

    Rows whose SMILES cannot be read have no prediction and say why in the column reason.
    """
    let_idle_threads_sleep()
    from pdf_search.data import read_table
    from pdf_search.inference import predict_molecules

    if to is not None and expanded(to).resolve() == expanded(csv).resolve():
        raise ConfigError(f"--to {to} is the file of --csv, which it would replace: name another")
    stored = find_run(run, which, output)
    table = read_table(csv, as_is=True, option="--csv")
    for note in table.notes:
        say(f"note: {note}")
    _check_json(table.columns if as_json else ())
    with loaded(stored, source) as trained:
        column = smiles or trained.config.data.smiles
        found = predict_molecules(trained, table, column, say)
    for note in found.notes:
        say(f"note: {note}")
    if to is not None:
        _write(found.table.to_csv(index=False), expanded(to))
    if as_json:
        rows = found.table.astype(object).where(found.table.notna(), None).to_dict("records")
        print_json(
            {"rows": rows, "replicates": found.replicates, "without_prediction": found.wrong}
        )
    elif to is None:
        print_result(found.table.to_csv(index=False))
    if found.wrong == len(found.table):
        raise DataError(
            f"{csv}: none of the {counted(found.wrong, 'row')} has a prediction, see the column "
            f"reason: is {column!r} the column of SMILES (--smiles)?"
        )
    wrong = f"; {found.wrong} without a prediction, see the column reason" if found.wrong else ""
    over = f"mean and spread over {found.replicates} replicates"
    if found.replicates == 1:
        over = "one replicate, so no spread"
    say(f"{counted(len(found.table), 'row')}, {over}{wrong}")


def _check_json(columns: tuple[str, ...]) -> None:
    doubled = sorted({name for name in columns if columns.count(name) > 1})
    if doubled:
        raise ConfigError(
            f"--json: the columns {', '.join(map(repr, doubled))} are there more than once, which "
            "JSON cannot say; rename them, or leave --json out"
        )


def _write(text: str, file: Path) -> None:
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigError(
            f"--to {file}: cannot be written ({error.strerror}): name a file in an existing folder"
        ) from None
