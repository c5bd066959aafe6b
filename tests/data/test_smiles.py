"""One molecule, one graph: what is read of a SMILES cell, and spellings of one molecule."""

from __future__ import annotations

import csv
import re
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from rdkit import Chem

from pdf_search.config import FEATURISER, DataConfig
from pdf_search.data import load_prepared, prepare
from pdf_search.data.molecules.featurise import AS_SPELT, molecule_graphs
from pdf_search.data.molecules.smiles import canonical_smiles, read_smiles
from pdf_search.data.raw.ogb_package import import_ogb
from pdf_search.data.raw.raw_set import silent
from pdf_search.errors import DataError
from pdf_search.graphs.graph_set import GraphSet

WRONG = {
    "CC O": "a blank after 'CC': RDKit would read 'CC' alone",
    "CCC(=O) OCC": r"a blank after 'CCC\(=O\)'",
    "CCCC\tN": "a tab after 'CCCC'",
    "CC\nO": "a line break after 'CC'",
    "CCCCO butan-1-ol": r"RDKit would read 'CCCCO' alone \(a name belongs in a column of its own\)",
    "CC |$R1;$|": r"an extension \(CXSMILES\) after 'CC'",
    "\u0421CCO": r"U\+0421 CYRILLIC CAPITAL LETTER ES at place 1",
    "CC\u041e": r"U\+041E CYRILLIC CAPITAL LETTER O at place 3",
    "CCCO\u200b": r"U\+200B ZERO WIDTH SPACE at place 5",
    "C\u00a0C": r"U\+00A0 NO-BREAK SPACE at place 2",
    "C\u2212C": r"U\+2212 MINUS SIGN at place 2",
    "\ufeffCC": r"U\+FEFF ZERO WIDTH NO-BREAK SPACE",
    "C\x00C": r"U\+0000 control character at place 2",
    "": "the cell is empty",
    "  ": "the cell is empty",
    "InChI=1S/CH4/h1H4": "an InChI, not a SMILES",
    "VNWKTOKETHGBQD-UHFFFAOYSA-N": "an InChIKey, not a SMILES",
    "CO>>CN": "a reaction",
    "CO>[Pd]>CN": "a reaction",
    "C~C": r"a pattern \(SMARTS\)",
    "[#6]C": r"a pattern \(SMARTS\)",
    "[C;H3]C": r"a pattern \(SMARTS\)",
    "[C,N]C": r"a pattern \(SMARTS\)",
    "[R1]CC": "not a SMILES string|a pattern",
    "butane": "not a SMILES string",
    "not a molecule": "^not a SMILES string$",
    "C(": "not a SMILES string",
    "CFC": "Explicit valence for atom # 1 F",
    "CFCFCFC": r"^Explicit valence for atom # 1 F, 2, is greater than permitted \(2 more faults\)$",
}
HYDRATION = Path(__file__).parents[2] / "examples" / "hydration.csv"
READ = ("CC", "*CC", "[*:1]CC", "[Na+].[Cl-]", "C$C", "N->[Fe]", "[Fe]<-N", " CC ", "C%12CCCCC%12")

STEREO = {
    "alanine": "C[C@H](N)C(=O)O",
    "tartaric acid": "O=C(O)[C@H](O)[C@@H](O)C(=O)O",
    "camphor": "CC1(C)[C@@H]2CC[C@@]1(C)C(=O)C2",
    "glucose": "OC[C@H]1O[C@@H](O)[C@H](O)[C@@H](O)[C@@H]1O",
    "sulfoxide": "CC[S@](C)=O",
    "phosphine oxide": "CC[P@](C)(=O)c1ccccc1",
    "heavy ethanol": "[2H][C@H](C)O",
    "cyclohexanediol": "O[C@@H]1CCCC[C@H]1O",
    "charged": "C[C@H]([NH3+])C([O-])=O",
    "salt": "C[C@H](N)c1ccccc1.OC(=O)[C@H](O)[C@@H](O)C(=O)O",
    "binaphthyl with a centre": "C[C@H](O)c1cccc2ccccc12",
    "epoxide": "C[C@H]1O[C@@H]1CC",
    "cumulene with a centre": "CC=C=C[C@H](C)O",
}
SAME_IN_THE_MIRROR = {
    "meso tartaric acid": "O=C(O)[C@H](O)[C@H](O)C(=O)O",
    "cis": "C/C=C\\C",
    "trans": "C/C=C/C",
    "ring cis": "C[C@H]1CC[C@@H](C)CC1",
    "ring trans": "C[C@H]1CC[C@H](C)CC1",
    "pseudo": "C[C@H](O)[C@@H](O)[C@@H](C)O",
    "diene": "C/C=C/C=C\\C",
    "oxime": "C/C(=N/O)c1ccccc1",
}
PLAIN = (
    "Oc1ccccc1",
    "C[N+](=O)[O-]",
    "[2H]OC",
    "[H][H]",
    "*CC",
    "c1ccc2[nH]ccc2c1",
    "C1=CC=CN1",
    "[NH4+].[Cl-]",
    "O=C1C=CC(=O)C=C1",
)


def arrays(smiles: str, version: int = FEATURISER) -> tuple[NDArray[np.int64], ...]:
    graphs, _, reasons = molecule_graphs([smiles], silent, version)
    assert graphs is not None, reasons
    return graphs.nodes, graphs.edges, graphs.edge_types[graphs.edge_type]


def equal(one: str, other: str) -> bool:
    pairs = zip(arrays(one), arrays(other), strict=True)
    return all(np.array_equal(a, b) for a, b in pairs)


def spellings(smiles: str, count: int = 8) -> set[str]:
    molecule = Chem.MolFromSmiles(smiles)
    order = np.random.default_rng(len(smiles))
    found = set()
    for _ in range(count):
        places = order.permutation(molecule.GetNumAtoms()).tolist()
        mixed = Chem.RenumberAtoms(molecule, places)
        found.add(Chem.MolToSmiles(mixed, canonical=False))
        found.add(Chem.MolToSmiles(mixed, canonical=False, allHsExplicit=True))
        found |= {Chem.MolToSmiles(mixed, doRandom=True)}
    kekule = Chem.Mol(molecule)
    Chem.Kekulize(kekule, clearAromaticFlags=True)
    found.add(Chem.MolToSmiles(kekule, kekuleSmiles=True, canonical=False))
    found.add(Chem.MolToSmiles(Chem.AddHs(molecule)))
    for atom in molecule.GetAtoms():
        atom.SetAtomMapNum(atom.GetIdx() + 1)
    found.add(Chem.MolToSmiles(molecule))
    return found


def mirrored(smiles: str) -> str:
    return smiles.replace("@@", "?").replace("@", "@@").replace("?", "@")


def table(path: Path, column: str = "smiles") -> list[str]:
    with path.open(newline="", encoding="utf-8") as file:
        return [row[column] for row in csv.DictReader(file)]


def signature(smiles: str) -> list[tuple[int, ...]]:
    """What a network could at most see: atoms and their neighbourhoods, whatever their order."""
    nodes, edges, kinds = arrays(smiles)
    seen = [tuple(row) for row in nodes.tolist()]
    for _ in range(4):
        around: list[list[int]] = [[] for _ in seen]
        for (source, target), kind in zip(edges.T, kinds.tolist(), strict=True):
            around[target].append(hash((seen[source], tuple(kind))))
        seen = [
            (hash(own), hash(tuple(sorted(near)))) for own, near in zip(seen, around, strict=True)
        ]
    return sorted(seen)


@pytest.mark.parametrize(("cell", "reason"), WRONG.items())
def test_what_is_no_smiles_is_named(cell: str, reason: str) -> None:
    found = read_smiles(cell)
    assert isinstance(found, str)
    assert re.search(reason, found), found


@pytest.mark.parametrize("cell", READ)
def test_what_is_smiles_is_read_whole(cell: str) -> None:
    assert canonical_smiles(read_smiles(cell)) == Chem.CanonSmiles(cell.strip().replace(":1", ""))


def test_a_row_that_would_be_cut_is_refused_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text("smiles,y\nCC,1\nCC O,2.5\n\u0421CCO,3\n", encoding="utf-8")
    config = DataConfig(name="csv", path=str(tmp_path / "m.csv"), targets=("y",))
    with pytest.raises(DataError) as caught:
        prepare(config, cache=tmp_path / "cache")
    assert "line 3: 'CC O': a blank after 'CC'" in str(caught.value)
    assert "line 4: '\u0421CCO': U+0421 CYRILLIC CAPITAL LETTER ES" in str(caught.value)


def test_a_cell_that_would_be_cut_has_no_graph_to_predict() -> None:
    graphs, places, reasons = molecule_graphs(["CC O", "CCO", "CCCO\u200b"], silent)
    assert graphs is not None
    assert len(graphs) == 1
    assert places.tolist() == [1]
    assert set(reasons) == {0, 2}


@pytest.mark.parametrize("smiles", [*STEREO.values(), *SAME_IN_THE_MIRROR.values(), *PLAIN])
def test_every_spelling_gives_the_same_arrays(smiles: str) -> None:
    others = spellings(smiles)
    assert len(others) > 1 or smiles == "[H][H]"
    for other in others:
        assert equal(smiles, other), other


@pytest.mark.parametrize("smiles", STEREO.values(), ids=STEREO)
def test_mirror_images_differ_even_for_a_network(smiles: str) -> None:
    assert signature(smiles) != signature(mirrored(smiles))


@pytest.mark.parametrize("smiles", SAME_IN_THE_MIRROR.values(), ids=SAME_IN_THE_MIRROR)
def test_what_is_its_own_mirror_image_is_one_molecule(smiles: str) -> None:
    assert equal(smiles, mirrored(smiles))


@pytest.mark.parametrize(
    ("one", "other"),
    [("cis", "trans"), ("ring cis", "ring trans")],
)
def test_cis_and_trans_differ(one: str, other: str) -> None:
    assert signature(SAME_IN_THE_MIRROR[one]) != signature(SAME_IN_THE_MIRROR[other])


def test_meso_and_both_enantiomers_are_three() -> None:
    meso, one = SAME_IN_THE_MIRROR["meso tartaric acid"], STEREO["tartaric acid"]
    found = [signature(smiles) for smiles in (meso, one, mirrored(one))]
    assert all(found[i] != found[j] for i, j in ((0, 1), (0, 2), (1, 2)))


@pytest.mark.parametrize(
    ("one", "other"),
    [("CN(=O)=O", "C[N+](=O)[O-]"), ("[H]/C(C)=C(/[H])C", "C/C=C/C"), ("[CH3:7]O", "CO")],
)
def test_ways_of_writing_the_same(one: str, other: str) -> None:
    assert equal(one, other)


def test_every_spelling_of_whole_tables() -> None:
    own = table(Path(str(files("pdf_search.data") / "freesolv" / "freesolv.csv")))
    marked = [smiles for smiles in own if set(smiles) & set("@/\\")]
    assert len(marked) > 50
    for smiles in [*marked, *own[::20], *table(HYDRATION)[::5]]:
        for other in spellings(smiles, 1):
            assert equal(smiles, other), (smiles, other)


def test_version_1_keeps_the_order_and_the_marks_of_the_spelling() -> None:
    for smiles in ("OC(C)=O", "C[C@H](N)C(=O)O", "N[C@@H](C)C(=O)O"):
        theirs = import_ogb("ogb.utils.mol").smiles2graph(smiles)
        assert np.array_equal(arrays(smiles, AS_SPELT)[0], theirs["node_feat"])


def test_the_two_versions_are_prepared_apart(tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text("smiles,y\nOCC,1\nCC,2.5\n")
    found: list[GraphSet] = []
    for version in (1, 2):
        config = DataConfig(
            name="csv", path=str(tmp_path / "m.csv"), targets=("y",), featuriser=version
        )
        found.append(load_prepared(prepare(config, cache=tmp_path / "cache")).graphs)
    assert [graphs.nodes[:3, 0].tolist() for graphs in found] == [[7, 5, 5], [5, 5, 7]]
