"""Reading a golden file into our own graph set, model and names."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from pdf_search.config import (
    BasisConfig,
    CategoricalInput,
    Hops,
    InputShape,
    LinearInput,
    ModelConfig,
    NoInput,
)
from pdf_search.graphs.graph_set import GraphSet
from pdf_search.model.network import PDFNetwork
from pdf_search.records import Task

CASES = (
    "ogb_molhiv_3task",
    "tu_enzymes",
    "tu_imdb_binary",
    "tu_mutag",
    "tu_proteins",
    "zinc_idp_2l",
    "zinc_idp_2l_1hop_grid",
    "zinc_idp_2l_2hop",
    "zinc_idp_lin",
    "zinc_shd_2l",
    "zinc_shd_lin_lap",
)


@dataclass
class Golden:
    name: str
    arrays: dict[str, np.ndarray]
    meta: dict[str, Any]

    @classmethod
    def load(cls, root: Path, name: str) -> Golden:
        with np.load(root / f"{name}.npz", allow_pickle=False) as file:
            arrays = {key: file[key] for key in file.files}
        return cls(name, arrays, ast.literal_eval(str(arrays["meta"])))

    @property
    def family(self) -> str:
        return self.name.split("_")[0]

    def graphs(self) -> GraphSet:
        arrays = self.arrays
        node_ptr = np.concatenate([[0], np.cumsum(arrays["input/node_count"])])
        edge_ptr = np.concatenate([[0], np.cumsum(arrays["input/edge_count"])])
        graph = np.repeat(np.arange(len(node_ptr) - 1), np.diff(edge_ptr))
        edges = arrays["input/edge_index"] - node_ptr[graph]
        x, targets = arrays["input/x"], arrays["y"].astype(np.float32)
        types, edge_type, self_type = self._edge_types(edges.shape[1])
        return GraphSet(
            node_ptr=node_ptr,
            nodes=x if x.ndim == 2 else x[:, None],
            edge_ptr=edge_ptr,
            edges=edges.astype(np.int32),
            edge_type=edge_type,
            edge_types=types,
            self_type=self_type,
            targets=targets if targets.ndim == 2 else targets[:, None],
        )

    def _edge_types(self, edges: int) -> tuple[np.ndarray, np.ndarray, int]:
        if self.family == "tu":
            return np.zeros((1, 0), np.int64), np.zeros(edges, np.int32), 0
        codes = self.arrays["input/edge_attr"].reshape(edges, -1)
        codes = codes + 1 if self.family == "ogb" else codes
        special = np.array([[0] * codes.shape[1], [1] * codes.shape[1]])
        types, index = np.unique(np.concatenate([special, codes]), axis=0, return_inverse=True)
        return types, index.reshape(-1)[2:].astype(np.int32), int(index.reshape(-1)[1])

    def basis(self) -> BasisConfig:
        powers = {
            eps: tuple(range(low, high + 1))
            for eps, (low, high) in zip(self.meta["epsilon"], self.meta["power"], strict=True)
        }
        sparse = self.meta["basis"] == "SPA"
        return BasisConfig(
            powers=powers,
            support=Hops(hops=self.meta["edgehop"]) if sparse else "dense",
            standardise=self.meta.get("basis_norm", False),
        )

    def model(self) -> ModelConfig:
        meta, family = self.meta, self.family
        norm = meta.get("batch_norm", "Y") == "Y"
        act = {"GELU": "gelu", "ReLU": "relu"}[meta.get("nonlinear", "GELU")]
        readouts = {"mean": "mean", "max": "max", "X": "max", "M": "mean"}
        return ModelConfig(
            hidden=meta["hidden"],
            layers=meta["layers"],
            filter="lin" if meta.get("linear") else "2l",
            channels="shd" if meta.get("shared") else "idp",
            filter_norm=family != "zinc" and norm,
            softmax=family != "zinc" and meta.get("edge_softmax", "Y") == "Y",
            ffn_activation="relu" if family == "ogb" else act,
            ffn_norm=norm,
            readout=readouts[meta["pooling"]],
            head="mlp" if family == "tu" else "linear",
        )

    def shape(self) -> InputShape:
        state, x = self.arrays, self.arrays["input/x"]
        if self.family == "zinc":
            nodes, edges = CategoricalInput(sizes=(28,)), CategoricalInput(sizes=(4,))
        elif self.family == "ogb":
            atoms = [f"state/atom_encoder.atom_embedding_list.{i}.weight" for i in range(9)]
            bonds = [f"state/bond_encoder.bond_embedding_list.{i}.weight" for i in range(3)]
            nodes = CategoricalInput(sizes=tuple(len(state[a]) for a in atoms), init="xavier")
            edges = CategoricalInput(
                sizes=tuple(len(state[b]) for b in bonds), init="xavier", frozen_zero=True
            )
        else:
            nodes, edges = LinearInput(features=x.shape[1]), NoInput()
        task = {"zinc": Task.REGRESSION, "ogb": Task.MULTILABEL, "tu": Task.MULTICLASS}
        outputs = self.arrays["train_output"].shape[1]
        return InputShape(nodes=nodes, edges=edges, outputs=outputs, task=task[self.family])

    def tensors(self, prefix: str) -> dict[str, Tensor]:
        """The original's tensors under our names and layout, with the replicate dimension."""
        found = {}
        for key, value in self.arrays.items():
            name = our_name(key.removeprefix(prefix)) if key.startswith(prefix) else None
            if name is not None:
                tensor = torch.from_numpy(value)
                embedding = ".tables." in name
                tensor = tensor.T if tensor.ndim == 2 and not embedding else tensor
                found[name] = tensor[None] if tensor.ndim == 2 else tensor[None, None]
        return found


_RULES = (
    (r"atom_encoder\.weight", "nodes.tables.0"),
    (r"bond_encoder\.weight", "edges.tables.0"),
    (r"atom_encoder\.atom_embedding_list\.(\d)\.weight", r"nodes.tables.\1"),
    (r"bond_encoder\.bond_embedding_list\.(\d)\.weight", r"edges.tables.\1"),
    (r"lin0\.", "nodes."),
    (r"lin1\.", "hidden_head."),
    (r"lin2\.|graph_pred_linear\.", "head."),
    (r"convs\.(\d+)\.pre_ffn\.0\.", r"layers.\1.pre."),
)


def our_name(name: str) -> str | None:
    """The name of an original parameter or buffer in our model."""
    if name.endswith("num_batches_tracked"):
        return None
    for pattern, new in _RULES:
        if re.match(pattern, name):
            return re.sub(pattern, new, name)
    match = re.fullmatch(r"(?:convs\.(\d+)\.ffn|filter_encoder)\.(\d)\.(\w+)", name)
    assert match, name
    layer, place, leaf = match.groups()
    owner = "filter" if layer is None else f"layers.{layer}.ffn"
    return f"{owner}.{place}.{leaf}"


_NORMED = {0: "linears.0", 1: "norms.0", 3: "linears.1", 4: "norms.1"}
_PLAIN = {0: "linears.0", 2: "linears.1"}


def resolve(model: PDFNetwork, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """Turn places within the original's Sequential into our lists of linears and norms."""
    state = model.state_dict()
    resolved = {}
    for name, tensor in tensors.items():
        match = re.fullmatch(r"(.*(?:filter|ffn))\.(\d)\.(\w+)", name)
        if match:
            owner, place, leaf = match[1], int(match[2]), match[3]
            places = _NORMED if f"{owner}.norms.0.weight" in state else _PLAIN
            ours = f"{owner}.{places[place]}.{leaf}"
        else:
            ours = name
        resolved[ours] = tensor.reshape(state[ours].shape)
    return resolved
