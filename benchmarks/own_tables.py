"""Tables of one's own, made of OGB's molecules: from CSV to prediction, and what the marks say.

    python benchmarks/own_tables.py make --data-root FOLDER --to CSVS
    pdf-search sweep CSVS/bace.csv --split part --name bace          (and so on: the result file)
    python benchmarks/own_tables.py measure CSVS RUNS/bace ...
    python benchmarks/own_tables.py loader RUNS/molesol ogbg-molesol --data-root FOLDER
    python benchmarks/own_tables.py many --data-root FOLDER --to CSVS
    pdf-search predict RUNS/molesol CSVS/many.csv -o predicted.csv

``make`` writes bace, tox21 and molesol with OGB's own split in a column; molesol gets a second
target, Crippen's logP by RDKit. ``many`` writes 100,000 rows, the molecules of molhiv and tox21
again and again. ``measure`` predicts every molecule of a run's file by its
confirmed model, and tells of the test part: the metric, the log loss with and without the
temperature, and the error of rows that are marked as unlike beside the others. ``loader`` trains
the winner's configuration on the winner's seeds again, with the data of OGB's loader.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from pdf_search import open_sweep
from pdf_search.config import parse_trial
from pdf_search.data import load_prepared, prepare
from pdf_search.inference import Model
from pdf_search.records import METRICS, EpochReport, Task
from pdf_search.training import run_trial
from pdf_search.training.metrics import evaluate

SETS = {"bace": "ogbg_molbace", "tox21": "ogbg_moltox21", "molesol": "ogbg_molesol"}
LOGS = "measured log solubility in mols per litre"
LEAST = 1e-12


def make(root: Path, to: Path) -> None:
    from rdkit.Chem import MolFromSmiles, rdMolDescriptors  # noqa: PLC0415

    to.mkdir(parents=True, exist_ok=True)
    for name, folder in SETS.items():
        table = pd.read_csv(root / "ogb" / folder / "mapping" / "mol.csv.gz")
        table = table.drop(columns="mol_id").rename(columns={LOGS: "logS"})
        if name == "molesol":
            read = [MolFromSmiles(text.strip()) for text in table["smiles"]]
            crippen = [rdMolDescriptors.CalcCrippenDescriptors(molecule) for molecule in read]
            table["logP"] = [round(log_p, 4) for log_p, _ in crippen]
        for part in ("train", "valid", "test"):
            file = root / "ogb" / folder / "split" / "scaffold" / f"{part}.csv.gz"
            table.loc[pd.read_csv(file, header=None)[0], "part"] = part
        table.to_csv(to / f"{name}.csv", index=False)


def many(root: Path, to: Path, rows: int) -> None:
    to.mkdir(parents=True, exist_ok=True)
    files = [
        root / "ogb" / f"ogbg_mol{name}" / "mapping" / "mol.csv.gz" for name in ("hiv", "tox21")
    ]
    smiles = pd.concat([pd.read_csv(file)["smiles"] for file in files]).to_numpy()
    pd.DataFrame({"smiles": np.resize(smiles, rows)}).to_csv(to / "many.csv", index=False)


def measure(csvs: Path, run: Path) -> None:
    best = open_sweep(run).best
    trained = best.model.trained
    table = pd.read_csv(csvs / f"{run.name}.csv")
    began, cpu = time.perf_counter(), time.process_time()
    found = best.predict(table["smiles"].tolist())
    seconds, cpu = time.perf_counter() - began, time.process_time() - cpu
    names = list(trained.facts.target_names)
    predicted = found[[f"predicted_{name}" for name in names]].to_numpy()
    readable = (found["reason"] == "").to_numpy()
    truth = table[names].to_numpy(np.float64)
    test = (table["part"] == "test").to_numpy() & readable
    marked = (found["unlike"] != "").to_numpy()
    print(f"{run.name}: {best}, {len(table):,} molecules predicted in {cpu:.1f} s of CPU time")
    print(f"  {seconds:.1f} s by the clock; marked: {_share(marked, table['part'])}")
    info = trained.facts.info
    if info.task is Task.REGRESSION:
        for number, name in enumerate(names):
            print(f"  {name}: {_rmse(truth, predicted, test, marked, number)}")
        return
    assert trained.calibration is not None
    print(f"  {trained.calibration.words}")
    plain = Model(replace(trained, calibration=None)).predict(table["smiles"].tolist())
    before = plain[[f"predicted_{name}" for name in names]].to_numpy()
    for what, values in (("as trained", before), ("calibrated", predicted)):
        auc = evaluate(info.metric, truth[test], values[test])  # the order is all that counts
        loss, off = _log_loss(truth[test], values[test]), _off(truth[test], values[test])
        print(f"  test, {what}: {info.metric} {auc:.4f}, log loss {loss:.4f}, error {off:.3f}")


def loader(run: Path, name: str, root: Path) -> None:
    tree = open_sweep(run).best.model.trained.config.model_dump(mode="json")
    config = parse_trial(tree | {"data": {"name": name, "featuriser": tree["data"]["featuriser"]}})
    data = load_prepared(prepare(config.data, root))
    epochs: list[EpochReport] = []
    run_trial(config, data, lambda report, _: epochs.append(report))
    metric = METRICS[data.info.metric]
    each = []
    for curve in zip(*(report.replicates for report in epochs), strict=True):
        best = metric.best(r.valid for r in curve if r.valid is not None)
        each.append(next(r.test for r in curve if r.valid == best))
    found = np.array(each, np.float64)
    print(f"{name}: test {data.info.metric} {found.mean():.4f} ± {found.std():.4f}, n {len(found)}")


def _share(marked: np.ndarray, part: pd.Series) -> str:
    return ", ".join(
        f"{name} {marked[part == name].mean():.1%}" for name in ("train", "valid", "test")
    )


def _rmse(
    truth: np.ndarray, found: np.ndarray, test: np.ndarray, marked: np.ndarray, number: int
) -> str:
    squares = (truth - found)[:, number] ** 2
    rows = {"test": test, "marked": test & marked, "not marked": test & ~marked}
    each = [
        f"{what} {np.nanmean(squares[of]) ** 0.5:.3f} (n {np.isfinite(squares[of]).sum()})"
        for what, of in rows.items()
    ]
    return "RMSE of the mean, " + ", ".join(each)


def _log_loss(truth: np.ndarray, found: np.ndarray) -> float:
    right = np.where(truth == 1, found, 1 - found).clip(LEAST)
    return float(np.nanmean(np.where(np.isnan(truth), np.nan, -np.log(right))))


def _off(truth: np.ndarray, found: np.ndarray, bins: int = 10) -> float:
    """Expected calibration error: |mean label - mean probability| over bins of equal width."""
    known = ~np.isnan(truth)
    labels, values = truth[known], found[known]
    place = (values * bins).astype(int).clip(max=bins - 1)
    gaps = [abs(labels[place == i].sum() - values[place == i].sum()) for i in range(bins)]
    return float(sum(gaps) / len(values))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    verbs = parser.add_subparsers(dest="verb", required=True)
    places = argparse.ArgumentParser(add_help=False)
    places.add_argument("--data-root", type=Path, required=True)
    places.add_argument("--to", type=Path, required=True)
    verbs.add_parser("make", parents=[places])
    repeating = verbs.add_parser("many", parents=[places])
    repeating.add_argument("--rows", type=int, default=100_000)
    loading = verbs.add_parser("loader")
    loading.add_argument("run", type=Path)
    loading.add_argument("name")
    loading.add_argument("--data-root", type=Path, required=True)
    measuring = verbs.add_parser("measure")
    measuring.add_argument("csvs", type=Path)
    measuring.add_argument("runs", type=Path, nargs="+")
    given = parser.parse_args()
    if given.verb == "make":
        make(given.data_root, given.to)
        return
    if given.verb == "many":
        many(given.data_root, given.to, given.rows)
        return
    if given.verb == "loader":
        loader(given.run, given.name, given.data_root)
        return
    for run in given.runs:
        measure(given.csvs, run)


if __name__ == "__main__":
    main()
