"""Checks and measures everything that runs on a GPU, each part in a process of its own.

Before, where pdf_search is installed: prepare ZINC and its bank into a folder to carry along.

    python benchmarks/gpu_check.py --pack .carry --data-root FOLDER

There, in under four minutes, everything but long training; then long training and Ray:

    python3 benchmarks/gpu_check.py --data .carry --out OUT --seconds 225
    python3 benchmarks/gpu_check.py --data .carry --out OUT --parts long ray --seconds 560

The folder ``.carry`` is all that it reads: no raw files, no git, and of the packages only what
training needs. What is missing is said at once, with the way to carry it. Rows go to
``OUT/rows.jsonl`` as they are known, and a line a part to ``OUT/summary.md``. The exit code is 1
where a check fails, a part does not end, or a planted fault stays unnoticed; 2 where something is
missing.

Without a GPU, on the excerpts that the tests use, with Triton's interpreter or the compiled CPU
kernels; and the same with a fault in every Triton kernel in turn:

    python benchmarks/gpu_check.py --device cpu --kernels interpreter --out OUT
    python benchmarks/gpu_check.py --device cpu --kernels interpreter --out OUT --mutations
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
sys.path.insert(1, str(PROJECT))  # it need not be installed

from gpu_checks import child, needs, part_list, run  # noqa: E402


def main() -> int:
    arguments = parse()
    if arguments.child:
        return child.run_part(arguments)
    if arguments.pack:
        from gpu_checks.bench import pack  # noqa: PLC0415

        print(pack(arguments.pack, arguments.data_root))
        return 0
    chosen = part_list.chosen(arguments.parts, arguments.device, arguments.kernels)
    if not needs.told(chosen, arguments):
        return 2
    if arguments.mutations is not None:
        from gpu_checks.planted_faults import try_all  # noqa: PLC0415

        return try_all(arguments, chosen)
    return run.run_all(arguments, chosen)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--out", type=Path, default=Path("gpu_check"), help="folder for results")
    parser.add_argument("--data", type=Path, help="folder that --pack made")
    parser.add_argument("--data-root", type=Path, help="raw files, for --pack or instead of --data")
    parser.add_argument(
        "--pack", type=Path, metavar="FOLDER", help="prepare the data there, no more"
    )
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda")
    parser.add_argument(
        "--kernels", choices=["native", "interpreter"], default="native",
        help="native: Triton on a GPU, Numba on a CPU; interpreter: Triton's, on a CPU",
    )  # fmt: skip
    parser.add_argument("--parts", nargs="+", choices=[part.name for part in part_list.PARTS])
    parser.add_argument(
        "--seconds", type=float, default=600.0,
        help="for all parts together; on a CPU of processor time",
    )  # fmt: skip
    parser.add_argument("--threads", type=int, default=0, help="of torch; 0: as it chooses")
    parser.add_argument("--first", action="store_true", help="stop at the first failure")
    parser.add_argument(
        "--mutations", nargs="*", metavar="WORD", help="plant faults: all, or those so named"
    )
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--limit", type=float, help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
