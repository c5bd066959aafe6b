"""A PyG network of one's own from ``PDFConv``: which random graphs have more triangles than usual?

``python examples/own_network.py``. The bases are made once by the transform; all layers share the
pairs of a batch, their filter and the embedding of edge types.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch_geometric.data import Batch, Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import global_mean_pool
from torch_geometric.utils import erdos_renyi_graph, to_undirected

from pdf_search.nn import PDFBases, PDFConv, PDFFilter, PDFPairs


class Net(nn.Module):
    def __init__(self, bases: int, channels: int = 16, layers: int = 2) -> None:
        super().__init__()
        self.start = nn.Parameter(torch.ones(channels))
        self.filter = PDFFilter(channels, bases)
        self.convs = nn.ModuleList(
            PDFConv(channels, bases, filter=self.filter) for _ in range(layers)
        )
        self.norms = nn.ModuleList(nn.BatchNorm1d(channels) for _ in range(layers))
        self.head = nn.Linear(channels, 2)

    def forward(self, data: Batch) -> Tensor:
        x = self.start.expand(data.num_nodes, -1)
        weights = self.filter(PDFPairs.of(data.edge_index, None, data.batch, data.bases))
        for conv, norm in zip(self.convs, self.norms, strict=True):
            x = x + norm(conv.convolve(x, weights)).relu()
        return self.head(global_mean_pool(x, data.batch))


def graph(triangles: bool, nodes: int = 12) -> Data:
    edges = to_undirected(erdos_renyi_graph(nodes, 0.15))
    if triangles:
        corners = torch.randperm(nodes).view(-1, 3)
        more = torch.cat([corners, corners.roll(1, 1)], 1).view(-1, 2, 3)
        edges = torch.cat([edges, more.permute(1, 0, 2).reshape(2, -1)], 1)
    else:
        edges = torch.cat([edges, torch.randint(nodes, (2, nodes))], 1)
    edges = to_undirected(edges)
    return Data(edge_index=edges, y=int(triangles), num_nodes=nodes)


def main(graphs: int = 240, epochs: int = 30) -> float:
    """Train, and return the share of the last quarter that is told apart."""
    torch.manual_seed(0)
    transform = PDFBases(eps=[-0.5, -0.25, 0.0], k=3)
    data = [transform(graph(i % 2 == 0)) for i in range(graphs)]
    train, test = data[: graphs * 3 // 4], data[graphs * 3 // 4 :]
    net = Net(transform.size)
    optimizer = torch.optim.AdamW(net.parameters(), 0.01)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs)
    print(f"{graphs} graphs, {transform.size} bases, {epochs} epochs", flush=True)
    for epoch in range(1, epochs + 1):
        total = 0.0
        for batch in DataLoader(train, batch_size=30, shuffle=True):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(net(batch), batch.y)
            loss.backward()
            optimizer.step()
            total += loss.item() * batch.num_graphs
        schedule.step()
        print(f"epoch {epoch}/{epochs}  loss {total / len(train):.3f}", flush=True)
    net.eval()
    with torch.no_grad():
        (batch,) = DataLoader(test, batch_size=len(test))
        return float((net(batch).argmax(1) == batch.y).float().mean())


if __name__ == "__main__":
    print(f"{main():.0%} of the test graphs are told apart")
