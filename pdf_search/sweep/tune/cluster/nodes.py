"""The nodes of a running cluster, and whether they are fit for a sweep."""

from __future__ import annotations

from typing import Any

from pdf_search.errors import ResourceError
from pdf_search.sweep.trial_log.provenance import versions

SAME_EVERYWHERE = ("python", "pdf-search", "torch")
PROBE_SECONDS = 120.0


def check_nodes(storage: str) -> None:
    """Check, by a probe on each node of the cluster, its versions and the storage folder.

    Raises:
        ResourceError: a node has other versions, does not see the folder, or does not answer.
    """
    import ray  # noqa: PLC0415
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy  # noqa: PLC0415

    folder = None if "://" in storage else storage

    # Defined here so that it travels by value to a node that may lack this package.
    def probe(names: list[str], folder: str | None) -> dict[str, str]:
        import platform  # noqa: PLC0415
        from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415
        from pathlib import Path  # noqa: PLC0415

        found = {"python": platform.python_version()}
        for name in names:
            try:
                found[name] = version(name)
            except PackageNotFoundError:
                found[name] = "not installed"
        found["storage"] = str(folder is None or Path(folder).is_dir())
        return found

    remote = ray.remote(num_cpus=0)(probe)
    names = [name for name in SAME_EVERYWHERE if name != "python"]
    nodes = alive()
    pending = [
        remote.options(
            scheduling_strategy=NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
        ).remote(names, folder)
        for node in nodes
    ]
    try:
        answers = ray.get(pending, timeout=PROBE_SECONDS)
    except ray.exceptions.RayError as error:
        raise ResourceError(f"a node of the cluster does not answer a probe: {error}") from error
    for node, found in zip(nodes, answers, strict=True):
        compare_node(node["NodeManagerHostname"], found, versions(), storage)


def compare_node(name: str, found: dict[str, str], expected: dict[str, str], storage: str) -> None:
    """Compare what a probe found on a node with what this machine has.

    Raises:
        ResourceError: something differs. The message says what, and what to do.
    """
    for package in SAME_EVERYWHERE:
        if found[package] != expected[package]:
            raise ResourceError(
                f"node {name} has {package} {found[package]}, this one {expected[package]}: "
                "install the same version on every node"
            )
    if found["storage"] != "True":
        raise ResourceError(
            f"node {name} does not see {storage}: give --storage a folder that all nodes share, "
            "or a URI such as s3://bucket/folder"
        )


def nodes_differ() -> bool:
    """Whether trials may run on a machine that does not have this one's files."""
    import ray  # noqa: PLC0415

    here = ray.get_runtime_context().get_node_id()
    return any(node["NodeID"] != here for node in alive())


def alive() -> list[dict[str, Any]]:
    """The living nodes of the cluster, as Ray describes them."""
    import ray  # noqa: PLC0415

    return [node for node in ray.nodes() if node["Alive"]]  # type: ignore[no-untyped-call]
