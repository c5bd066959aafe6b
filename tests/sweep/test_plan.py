from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pdf_search.errors import ConfigError, PdfSearchError, ResourceError, StoreError
from pdf_search.records import Phase
from pdf_search.runs import free_name
from pdf_search.space import Space, load_study
from pdf_search.sweep import Plan, SweepOptions, confirm, plan_study, plan_sweep
from pdf_search.sweep.api import new_sweep_record
from pdf_search.sweep.folder import SweepFolder, default_name
from pdf_search.sweep.resources import (
    Node,
    Resources,
    capacity,
    settle_resources,
    this_machine,
)
from tests.sweep.conftest import SPACE, write_space
from tests.sweep.helpers import sweep_in


def plan(space: Space, cache: Path, tmp_path: Path, **options: Any) -> Plan:
    return plan_sweep(space, SweepOptions(out=tmp_path / "runs", cache=cache, **options))


def test_a_plan_says_what_will_happen(space: Space, cache: Path, tmp_path: Path) -> None:
    made = plan(space, cache, tmp_path, concurrent=1)
    text = "\n".join(made.lines())
    assert "6 trials of up to 12 epochs; first: the point listed first" in text
    # Of 72 epochs: 6 x 3, three go on for 4, and two for 5.
    assert "the best 1/2, at least 2, go on after epoch 3, 7; it can save 44% of the epochs" in text
    assert "the best 2, 12 epochs on 3 fresh seeds, then the test split" in text
    assert "1 CPU a trial, 1 at once" in text
    assert "FreeSolv" in text
    assert "split" in text
    assert made.first.phase is Phase.SEARCH
    assert made.first.training.learning_rate == 0.004
    assert made.first.device == "cpu"


def test_a_sweep_that_was_to_confirm_nothing_is_told_how_many(
    space: Space, cache: Path, tmp_path: Path
) -> None:
    made = plan(space, cache, tmp_path, name="alone", top_k=0)
    with made.folder.open_store(create=True) as store:
        store.create_sweep(new_sweep_record(made, "command"))
    with pytest.raises(ConfigError, match=r"^alone was to confirm nothing \(--top-k 0\): say how"):
        confirm("alone", tmp_path / "runs", cache=cache)
    with pytest.raises(ConfigError, match=r"^--top-k 0: nothing would be confirmed; "):
        confirm("alone", tmp_path / "runs", cache=cache, top_k=0)
    with made.folder.open_store() as store:
        assert store.sweep("alone").options["top_k"] == 0


def test_the_plan_says_that_nothing_can_be_stopped(cache: Path, tmp_path: Path) -> None:
    warm = SPACE.replace("epochs: 30\n", "epochs: 30\n  schedule: {kind: cosine, warmup: 12}\n")
    made = plan(write_space(tmp_path, text=warm), cache, tmp_path)
    assert made.rungs == ()
    text = "\n".join(made.lines())
    assert "none: with 6 trials of 12 epochs it can save next to nothing" in text
    made = plan(write_space(tmp_path, text=warm), cache, tmp_path, epochs=30)
    assert made.rungs == (15, 18, 23)
    few = plan(write_space(tmp_path, text=warm), cache, tmp_path, epochs=30, trials=2)
    assert few.rungs == ()  # both are to be confirmed


def test_every_trial_of_the_search_may_have_several_replicates(cache: Path, tmp_path: Path) -> None:
    text = SPACE.replace("epochs: 12, method", "epochs: 12, replicates: 2, method")
    space = write_space(tmp_path, text=text)
    made = plan(space, cache, tmp_path, seed=5)
    assert made.first.seeds == (5, 6)
    assert "protocol    split, 2 replicates a trial" in made.lines()
    assert "split       random: 513 training, 64 validation, 65 test graphs" in made.lines()
    made = plan(space, cache, tmp_path, seed=5, replicates=3)  # before what the space says
    assert made.builder.search(dict(space.points_to_evaluate[0])).seeds == (5, 6, 7)
    assert made.builder.confirm(made.first.model_dump(mode="json")).seeds == (8, 9, 10)
    resumed = SweepOptions.from_recorded(made.recorded_options(), out=tmp_path, cache=cache, seed=5)
    assert plan_sweep(space, resumed).first.seeds == (5, 6, 7)


def test_sweeps_of_older_versions_have_one_replicate(
    space: Space, cache: Path, tmp_path: Path
) -> None:
    recorded = plan(space, cache, tmp_path).recorded_options()
    del recorded["replicates"]
    again = SweepOptions.from_recorded(recorded, out=tmp_path, cache=cache)
    assert plan_sweep(space, again).first.seeds == (0,)


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"metric": "rmsee"}, ConfigError, "did you mean rmse"),
        ({"metric": "test_rmse"}, ConfigError, "the test split is not for search"),
        ({"metric": "accuracy"}, ConfigError, "does not measure regression"),
        ({"method": "tpe+ahsa"}, ConfigError, "Did you mean tpe\\+asha"),
        ({"gpus_per_trial": 2.0}, ConfigError, "--gpus-per-trial 2: a trial computes on one GPU"),
        ({"gpus_per_trial": 1.5}, ConfigError, "Give 1, or a fraction"),
        ({"gpus_per_trial": float("nan")}, ConfigError, "--gpus-per-trial nan"),
        ({"gpus_per_trial": float("inf")}, ConfigError, "--gpus-per-trial inf"),
        ({"storage": "ftp://nosuch/x"}, ConfigError, "--storage ftp://nosuch/x"),
        ({"storage": "s3://"}, ConfigError, r"--storage s3://: .*Give a folder"),
        ({"storage": __file__}, ConfigError, "is a file"),
        ({"cpus_per_trial": 4096}, ResourceError, "--cpus-per-trial 4096"),
        ({"cpus_per_trial": 0}, ConfigError, "at least 1"),
        ({"concurrent": 4096}, ResourceError, "there is room for"),
        ({"address": "ray://head:10001"}, ConfigError, "--address auto"),
        ({"address": "nonsense"}, ConfigError, "host:port"),
    ],
)
def test_what_cannot_be_is_found_before_the_first_trial(
    space: Space,
    cache: Path,
    tmp_path: Path,
    options: dict[str, Any],
    kind: type[PdfSearchError],
    message: str,
) -> None:
    with pytest.raises(kind, match=message):
        plan(space, cache, tmp_path, **options)
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    ("place", "kind", "message"),
    [
        ({"out": Path("/proc/nobody")}, ConfigError, "run's folder /proc/nobody/.* with --out"),
        ({"db": "/proc/nobody/results.db"}, StoreError, "cannot be made: .* with --db"),
        ({"db": str(Path(__file__).parent)}, StoreError, "is a folder"),
        ({"db": __file__}, StoreError, "the file is something else"),
        ({"db": "postgresql://nobody@127.0.0.1:1/x"}, StoreError, "127.0.0.1:1/x"),
        ({"name": "taken"}, ConfigError, "sweep taken exists in .* choose another --name"),
        ({"name": "single"}, ConfigError, "give another --name"),
    ],
)
def test_a_place_that_cannot_be_is_found_before_the_data_are_prepared(
    space: Space, tmp_path: Path, place: dict[str, Any], kind: type[PdfSearchError], message: str
) -> None:
    sweep_in(tmp_path / "runs" / "taken", space, "taken")
    (tmp_path / "runs" / "single").mkdir()
    (tmp_path / "runs" / "single" / "config.yaml").touch()
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(kind, match=message):
        plan_sweep(
            space, SweepOptions(**({"out": tmp_path / "runs"} | place), cache=tmp_path / "c")
        )
    assert sorted(tmp_path.rglob("*")) == before


def test_a_study_s_place_is_looked_at_before_its_data(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"run's folder /proc/nobody/.* with --out"):
        plan_study(
            load_study("paper/zinc"), SweepOptions(out=Path("/proc/nobody"), cache=tmp_path / "c")
        )
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(this_machine().gpus > 0, reason="this machine has a GPU")
def test_a_gpu_that_is_not_there_is_an_error(space: Space, cache: Path, tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match="no GPU"):
        plan(space, cache, tmp_path, gpus_per_trial=0.5)


def test_a_plan_says_why_a_gpu_runs_plain_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of this machine: another's GPUs cannot be asked."""
    monkeypatch.setattr("pdf_search.kernels.why_plain_torch_apart", lambda _: "no C compiler")
    size = Resources(2, 0.5, 2)
    said = size.words("run")
    assert said.startswith("2 CPU and 0.5 GPU a run, 2 at once; plain torch, slower than")
    assert said.endswith(": no C compiler")
    there = Resources(2, 0.5, 2, "10.0.0.1:6379").words("run")
    assert there == "2 CPU and 0.5 GPU a run, 2 at once on the Ray at 10.0.0.1:6379"
    assert Resources(2, 0, 2).words("trial") == "2 CPU a trial, 2 at once"


def test_capacity_is_counted_per_node() -> None:
    nodes = [Node("a", 8, 1), Node("b", 8, 0), Node("c", 3, 2)]
    assert capacity(nodes, 2, 0) == 4 + 4 + 1
    assert capacity(nodes, 2, 1) == 1 + 0 + 1
    assert capacity(nodes, 1, 0.25) == 4 + 0 + 3
    assert capacity([Node("a", 64, 8)], 1, 0.1) == 64


@pytest.mark.parametrize(
    ("fraction", "trials", "gpus"), [(0.6, 2, 2), (0.4, 4, 2), (0.5, 4, 2), (1.0, 2, 2)]
)
def test_no_trial_is_on_two_gpus(fraction: float, trials: int, gpus: int) -> None:
    """Two GPUs at 0.6 a trial hold two trials, not three."""
    size = settle_resources(SweepOptions(gpus_per_trial=fraction), [Node("a", 8, 2)], 100)
    assert size == Resources(1, fraction, trials)
    assert size.gpus_in_use == gpus
    assert Resources(1, 0.4, 5).gpus_in_use == 3  # 0.4 * 5 are two, but two of them hold four
    assert Resources(1, 0, 5).gpus_in_use == 0


@pytest.mark.parametrize(
    ("option", "value", "wanted"),
    [
        ("trials", 2.5, "--trials 2.5: give a whole number of at least 1"),
        ("trials", True, "--trials True: give a whole number"),
        ("trials", "4", "--trials '4': give a whole number"),
        ("trials", -1, "--trials -1: give a whole number of at least 1"),
        ("trials", float("nan"), "--trials nan: give a whole number"),
        ("epochs", 10**20, "--epochs 100000000000000000000: give 1,000,000 or less"),
        ("top_k", -1, "--top-k -1: give a whole number of at least 0"),
        ("seed", None, "--seed None: give a whole number of at least 0"),
        ("seed", 2**32, "--seed 4294967296: give 4,294,967,295 or less"),
        ("cpus_per_trial", "two", "--cpus-per-trial 'two': give a whole number"),
        ("gpus_per_trial", True, "--gpus-per-trial True: give a number"),
        ("time", float("nan"), "--time nan: give more than 0 seconds"),
        ("time", float("inf"), "--time inf: give more than 0 seconds"),
        ("time", 10**400, "--time inf: give more than 0 seconds"),
        ("time", "10m", "--time '10m': give a number of seconds"),
        ("epoch_timeout", 0, "--epoch-timeout 0: give more than 0 seconds"),
        ("checkpoint_seconds", -1.0, "--checkpoint-seconds -1: give 0 or more seconds"),
        ("repeat", "no", "--repeat 'no': give True or False"),
        ("method", 3, "--method 3: give a text"),
        ("name", 3, "--name 3: give a text"),
        ("out", 3, "--out 3: give the path of a folder"),
        ("from_sweeps", "night", "--from-sweeps 'night': give a list of names"),
        ("from_sweeps", [1], "--from-sweeps [1]: give a list of names"),
    ],
)
def test_an_option_of_another_kind_is_named_with_what_it_takes(
    option: str, value: Any, wanted: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        SweepOptions(**{option: value})
    assert wanted in str(caught.value)


def test_options_are_kept_as_their_kind() -> None:
    given: dict[str, Any] = {
        "trials": np.int64(3),
        "epochs": 4.0,
        "time": 5,
        "checkpoint_seconds": 0,
        "from_sweeps": ["a", "b"],
    }
    kept = SweepOptions(**given)
    found = (kept.trials, kept.epochs, kept.time, kept.checkpoint_seconds, kept.from_sweeps)
    assert found == (3, 4, 5.0, 0.0, ("a", "b"))
    assert [type(value) for value in found] == [int, int, float, float, tuple]


@pytest.mark.parametrize(
    "options", [{"name": "a b"}, {"name": "../x"}, {"name": 101 * "a"}, {"trials": 0}, {"time": 0}]
)
def test_options_are_checked(options: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        SweepOptions(**options)


def test_a_continuous_space_has_no_grid(space: Space, cache: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="learning_rate"):
        plan(space, cache, tmp_path, method="grid")


def test_a_grid_is_tried_whole_and_stops_trials_early(cache: Path, tmp_path: Path) -> None:
    finite = SPACE.replace("{range: [1e-3, 1e-2], log: true}", "{choice: [0.004, 0.002]}")
    space = write_space(tmp_path, text=finite)
    made = plan(space, cache, tmp_path, method="grid+asha")
    assert (made.method.sampler, made.rungs) == ("grid", (3, 7))
    assert made.trials == 6  # of eight points two are outside the limits


def test_a_population_needs_one_architecture_and_something_to_change(
    space: Space, cache: Path, tmp_path: Path
) -> None:
    made = plan(space, cache, tmp_path, method="pbt")
    assert made.rungs == (3, 6, 9)
    assert (
        "after epoch 3, 6, 9 the worst 2 of 6 go on from the best 2, with changed "
        "training.learning_rate; all have the other settings of the first trial"
    ) in "\n".join(made.lines())
    fixed = SPACE.replace("{range: [1e-3, 1e-2], log: true}", "1e-3").replace(
        "    training.learning_rate: 0.004\n", ""
    )
    with pytest.raises(ConfigError, match="searches none of them"):
        plan(write_space(tmp_path, text=fixed), cache, tmp_path, method="pbt")
    first, _, rest = SPACE.partition("points_to_evaluate:")
    none = write_space(tmp_path, text=first + rest[rest.index("basis:") :])
    with pytest.raises(ConfigError, match="List one"):
        plan(none, cache, tmp_path, method="pbt", no_portfolio=True)
    wide = write_space(tmp_path, text=SPACE.replace("layers <= 200", "layers <= 60"))
    with pytest.raises(ConfigError, match=r"outside the limits: .*List another one first"):
        plan(wide, cache, tmp_path, method="pbt")


def test_epochs_cut_the_run_and_never_lengthen_it(
    space: Space, cache: Path, tmp_path: Path
) -> None:
    assert plan(space, cache, tmp_path, epochs=5).first.epochs == 5
    longest = plan(space, cache, tmp_path, epochs=500)
    assert longest.epochs == 30
    assert longest.first.stop_epoch is None


def test_another_metric_reaches_the_trials(space: Space, cache: Path, tmp_path: Path) -> None:
    made = plan(space, cache, tmp_path, metric="mae")
    assert made.metric.name == "mae"
    assert made.first.data.metric == "mae"


def test_options_survive_the_database() -> None:
    options = SweepOptions(data_root=Path("some/where"), concurrent=2, repeat=True)
    again = SweepOptions.from_recorded(options.recorded(), name="x")
    assert again.data_root == Path("some/where").resolve()
    assert (again.concurrent, again.repeat, again.name) == (2, True, "x")


def test_names_are_counted_up(tmp_path: Path) -> None:
    assert free_name(tmp_path, "zinc") == "zinc"
    (tmp_path / "zinc").mkdir()
    (tmp_path / "zinc-2").mkdir()
    assert free_name(tmp_path, "zinc") == "zinc-3"


def test_a_file_whose_name_cannot_name_a_sweep_asks_for_a_name(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"'my sp ä' cannot name a sweep.*give --name"):
        default_name(tmp_path, "my sp ä")


@pytest.mark.parametrize("out", [__file__, "/proc/x"])
def test_a_folder_that_cannot_be_made_is_an_error(out: str) -> None:
    folder = SweepFolder.of(Path(out), "s", None)
    with pytest.raises(ConfigError, match=f"folder {out}/s .* with --out"), folder.locked():
        pass


def test_a_name_too_long_for_a_folder_is_no_sweep(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no sweep in"):
        SweepFolder.of(tmp_path, 300 * "a", None).open_store()


def test_a_misspelt_method_of_a_file_is_named_there(cache: Path, tmp_path: Path) -> None:
    space = write_space(tmp_path, text=SPACE.replace("tpe+asha", "tpe+ahsa"))
    with pytest.raises(ConfigError, match=r"'tpe\+ahsa' \(budget.method of .*tiny.yaml or"):
        plan(space, cache, tmp_path)


@pytest.mark.parametrize("method", ["tpe", "grid"])
def test_limits_that_nothing_meets_are_found(cache: Path, tmp_path: Path, method: str) -> None:
    text = SPACE.replace("[model.hidden * model.layers <= 200]", "[parameters <= 1]")
    text = text.replace("{range: [1e-3, 1e-2], log: true}", "{choice: [0.001, 0.004]}")
    message = r"none of \d+ points .*\(parameters <= 1\): parameters <= 1: the smallest param"
    with pytest.raises(ConfigError, match=message):
        plan(write_space(tmp_path, text=text), cache, tmp_path, method=method)


def test_one_draw_within_the_limits_is_enough(cache: Path, tmp_path: Path) -> None:
    text = SPACE.replace("[model.hidden * model.layers <= 200]", "[model.hidden == 128]")
    assert plan(write_space(tmp_path, text=text), cache, tmp_path).trials == 6


def test_a_second_driver_is_refused(tmp_path: Path) -> None:
    folder = SweepFolder.of(tmp_path, "s", None)
    script = (
        "import sys; from pathlib import Path; from pdf_search.sweep.folder import SweepFolder\n"
        f"folder = SweepFolder.of(Path({str(tmp_path)!r}), 's', None)\n"
        "with folder.locked(): pass\n"
    )
    with folder.locked():
        second = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=False
        )
    assert "another process runs the sweep" in second.stderr
    subprocess.run([sys.executable, "-c", script], check=True)


def test_importing_the_package_loads_neither_ray_nor_optuna_nor_torch() -> None:
    script = (
        "import sys, pdf_search.sweep\n"
        "assert not {'ray', 'optuna', 'torch'} & set(sys.modules), 'heavy import'\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
