"""The verb ``export`` writes a trained model into a folder that needs nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Option

from pdf_search.cli.option_groups import option_groups
from pdf_search.cli.options import DataOptions, OutputOptions
from pdf_search.cli.output import print_result, say
from pdf_search.cli.process import let_idle_threads_sleep
from pdf_search.cli.trained import RunName, TrialOptions, find_run, loaded
from pdf_search.errors import ConfigError
from pdf_search.paths import check_new_folder, expanded


@option_groups
def export(
    run: RunName,
    which: TrialOptions,
    output: OutputOptions,
    source: DataOptions,
    to: Annotated[Path, Option("--to", metavar="FOLDER", help="A new folder.")],
    refit: Annotated[
        bool, Option("--refit", help="Train on all data before, test part included.")
    ] = False,
) -> None:
    """Write a model with its card: weights, configuration, data facts, score and provenance.

    Of a sweep, its first confirmed trial, unless --trial names another. `pdf-search predict FOLDER`
    and, in Python, pdf_search.load(FOLDER) use it. With --refit the score on the card is that of
    the model before.
    """
    check_new_folder(expanded(to), "--to")
    let_idle_threads_sleep()
    stored = find_run(run, which, output, winner=True)
    from pdf_search.api import export_model, open_sweep, train_score
    from pdf_search.training import CURVE, read_curve

    if stored.exported:
        raise ConfigError(f"{run} is an exported model already: copy its folder")
    with loaded(stored, source) as trained:
        if stored.trial is None:
            folder = Path(stored.checkpoint)
            score, epochs = train_score(trained, read_curve(folder / CURVE), folder.name), None
        else:
            number, phase = stored.trial
            trial = open_sweep(run, out=output.out, db=output.url).trial(number, phase)
            score, epochs = trial.score, trial.refit_epochs
        written = export_model(
            trained,
            score,
            to,
            all_data=refit,
            epochs=epochs,
            data_root=source.data_root,
            cache=source.cache,
            progress=say,
        )
    print_result(str(written))
