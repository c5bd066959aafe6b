"""The verb ``predict`` predicts new molecules or graphs with a trained model."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from pdf_search.cli.option_groups import option_groups
from pdf_search.cli.options import AsJson, DataOptions, OutputOptions
from pdf_search.cli.output import print_data, print_json, say
from pdf_search.cli.process import let_idle_threads_sleep
from pdf_search.cli.trained import RunName, StoredModel, TrialOptions, find_run, loaded
from pdf_search.errors import ConfigError, DataError, FullDiskError
from pdf_search.paths import expanded, why_not_writable
from pdf_search.wording import counted

if TYPE_CHECKING:
    from pdf_search.inference import Predicted


@dataclass(frozen=True)
class PredictOptions:
    """What is predicted, and where the predictions go."""

    csv: Annotated[Path | None, Option("--csv", metavar="FILE", help="The same as FILE.")] = None
    smiles: Annotated[str | None, Option(metavar="COLUMN", help="Default: as in training.")] = None
    to: Annotated[
        Path | None,
        Option("-o", "--to", metavar="FILE", help="CSV to write. Default: standard output."),
    ] = None
    as_json: AsJson = False

    def file(self, named: Path | None) -> tuple[Path, str]:
        """The file to predict, and the option that named it.

        Raises:
            ConfigError: none is named, or two are, or it would be replaced.
        """
        if (named is None) == (self.csv is None):
            given = "two files are given" if named else "no file is given"
            raise ConfigError(f"{given}: name one, as in: pdf-search predict RUN new.csv")
        file, option = (named, "the file to predict") if named is not None else (self.csv, "--csv")
        assert file is not None
        if self.to is not None and expanded(self.to).resolve() == expanded(file).resolve():
            raise ConfigError(
                f"-o {self.to} is the file to predict, which it would replace: name another"
            )
        if self.to is not None:
            _check_place(expanded(self.to))
        return file, option


@option_groups
def predict(
    run: RunName,
    which: TrialOptions,
    output: OutputOptions,
    source: DataOptions,
    options: PredictOptions,
    named: Annotated[
        Path | None,
        Argument(metavar="FILE", help="Molecules, one a row (CSV, Parquet, SDF), or graphs."),
    ] = None,
) -> None:
    """Predict the molecules or graphs of a file: mean and spread over the run's seeds or folds.

    Of a sweep, its first confirmed trial predicts, unless --trial names another. Rows without a
    prediction, such as those whose SMILES cannot be read, say why in the column reason.
    """
    let_idle_threads_sleep()
    from pdf_search.data import is_graph_file

    file, option = options.file(named)
    stored = find_run(run, which, output, winner=True)
    predicted = _graphs if is_graph_file(file) else _molecules
    found, noun, hint = predicted(stored, source, file, option, options)
    for note in found.notes:
        say(f"note: {note}")
    if options.to is not None:
        _write(found.table.to_csv(index=False), expanded(options.to))
    if options.as_json:
        rows = found.table.astype(object).where(found.table.notna(), None).to_dict("records")
        print_json(
            {"rows": rows, "replicates": found.replicates, "without_prediction": found.wrong}
        )
    elif options.to is None:
        print_data(found.table.to_csv(index=False))
    if found.wrong == len(found.table):
        raise DataError(
            f"{file}: none of the {counted(found.wrong, noun)} has a prediction, see the column "
            f"reason{hint}"
        )
    wrong = f"; {found.wrong} without a prediction, see the column reason" if found.wrong else ""
    over = f"mean and spread over {found.replicates} replicates"
    if found.replicates == 1:
        over = "one replicate, so no spread"
    say(f"{counted(len(found.table), noun)}, {over}{wrong}")


def _molecules(
    stored: StoredModel, source: DataOptions, file: Path, option: str, options: PredictOptions
) -> tuple[Predicted, str, str]:
    """The predictions of a table, what its rows are called, and what to look at if all lack one."""
    from pdf_search.data import read_table
    from pdf_search.inference import NOT_FINITE, predict_molecules

    table = read_table(file, as_is=True, option=option)
    for note in table.notes:
        say(f"note: {note}")
    _check_json(table.columns if options.as_json else ())
    with loaded(stored, source) as trained:
        trained_on = trained.config.data.smiles
        column = options.smiles or table.molecules or trained_on
        found = predict_molecules(trained, table, column, say)
    read = (found.table["reason"] == NOT_FINITE).any()
    return found, "row", "" if read else f": is {column!r} the column of SMILES (--smiles)?"


def _graphs(
    stored: StoredModel, source: DataOptions, file: Path, option: str, options: PredictOptions
) -> tuple[Predicted, str, str]:
    """The predictions of graphs, as ``_molecules`` gives those of a table."""
    from pdf_search.data import read_graphs
    from pdf_search.inference import predict_graphs

    if options.smiles is not None:
        raise ConfigError(f"--smiles: {file} holds graphs; leave it out")
    graphs = read_graphs(file, option)
    with loaded(stored, source) as trained:
        try:
            found = predict_graphs(trained, graphs, say)
        except DataError as error:
            raise DataError(f"{file}: {error}") from None
    return found, "graph", ": are the features on the scale of those of the training?"


def _check_json(columns: tuple[str, ...]) -> None:
    doubled = sorted({name for name in columns if columns.count(name) > 1})
    if doubled:
        raise ConfigError(
            f"--json: the columns {', '.join(map(repr, doubled))} are there more than once, which "
            "JSON cannot say; rename them, or leave --json out"
        )


def _check_place(file: Path) -> None:
    """Check before anything is computed that a file can be written."""
    if str(file) == "-":
        raise ConfigError("-o -: leave -o out, and the predictions go to standard output")
    if file.is_dir():
        raise ConfigError(f"-o {file} is a folder: name a file in it")
    if not file.parent.is_dir():
        raise ConfigError(f"-o {file}: there is no folder {file.parent}: make it, or name another")
    if file.exists():
        why = "" if os.access(file, os.W_OK) else "it may only be read"
    else:
        why = why_not_writable(file.parent)
    if why:
        raise ConfigError(f"-o {file} cannot be written to ({why}): name another file")


def _write(text: str, file: Path) -> None:
    """Write the predictions whole or not at all; a pipe or device gets them as they come."""
    from pdf_search.atomic import whole_file
    from pdf_search.full_disk import full_words, is_full

    real = file.resolve()
    try:
        if (file.exists() and not file.is_file()) or not os.access(real.parent, os.W_OK):
            file.write_text(text, encoding="utf-8")
            return
        with whole_file(real) as part:
            part.write_text(text, encoding="utf-8")
    except OSError as error:
        if is_full(error):
            raise FullDiskError(
                f"-o {file}: {full_words(real.parent)}. Make room, or name a file on another disk"
            ) from None
        raise ConfigError(
            f"-o {file}: cannot be written ({error.strerror}); name another file"
        ) from None
