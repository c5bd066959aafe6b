"""Run by ``test_gpu`` in a process of its own: Triton's interpreter stands in for the GPU.

Every tensor is treated as if it lay on a GPU, so that the tests of the CPU kernels test Triton's.
With the argument ``widths`` the kernels run at the hidden sizes in use, on few numbers.
"""

from __future__ import annotations

import sys

import torch

from pdf_search.kernels import dispatch

dispatch.serves_cpu = lambda *_: False
dispatch.runs_triton = lambda _: True

from pdf_search.kernels import (  # noqa: E402
    Chunks,
    Messages,
    adamw,
    build_triples,
    reference,
    triton,
)
from pdf_search.kernels.operators.adamw import BETA1, BETA2, EPS  # noqa: E402
from pdf_search.kernels.structures import GPU_CHUNK  # noqa: E402
from pdf_search.kernels.triton import messages  # noqa: E402
from pdf_search.training.optimizer import AdamW  # noqa: E402
from tests.kernels import (  # noqa: E402
    test_convolution,
    test_fused,
    test_noise,
    test_not_finite,
    test_segment_product,
)
from tests.model import test_stack  # noqa: E402
from tests.model.networks import VARIANTS, close  # noqa: E402

# width, width of A, triples, segments, rows of A, rows of B
SHAPES = [
    (40, 40, 60, 5, 6, 9),
    (40, 1, 60, 5, 6, 9),
    (1, 1, 5, 3, 2, 2),
    (7, 7, 2 * GPU_CHUNK + 1, 2, 1, 5),  # one hot row, longer than a chunk
    (7, 7, GPU_CHUNK, 1, 1, 5),  # a row of just one chunk
    (33, 1, 2 * GPU_CHUNK + 1, 2, 1, 5),
    (16, 16, 0, 4, 3, 3),
]
WIDTHS = [37, 96, 160, 256, 300]  # hidden sizes: up to ten tiles of channels, two in part

FLOAT, HALF = torch.float32, torch.bfloat16
DTYPES = ((FLOAT, FLOAT), (HALF, HALF), (FLOAT, HALF), (HALF, FLOAT))  # of the two factors


def segment_products(shapes: list[tuple[int, ...]]) -> None:
    for shape in shapes:
        a, b, grad, triples = test_segment_product.make(shape)
        a, b = a.detach(), b.detach()
        orders = [(a, b, triples.by_segment, "grouped_product")]
        name = "grouped_dot" if a.shape[1] != b.shape[1] else "grouped_product"
        orders.append((grad, b, triples.by_a, name))
        for dtypes in DTYPES:
            for x, y, order, function in orders:
                one, two = x.to(dtypes[0]), y.to(dtypes[1])
                ours = getattr(triton, function)(one, two, order)
                theirs = getattr(reference, function)(one, two, order)
                assert ours.dtype == torch.float32
                assert ours.shape == theirs.shape
                scale = float(theirs.abs().max()) if theirs.numel() else 0.0
                torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-5 * scale)


def sums_of_bfloat16_are_float32() -> None:
    """Summed in bfloat16, ones would stop at 256."""
    order = build_triples(
        *(torch.zeros(1000, dtype=torch.int64) for _ in range(3)), (1, 1, 1)
    ).by_segment
    one = torch.ones(1, 4, dtype=torch.bfloat16)
    assert triton.grouped_product(one, one, order).tolist() == [[1000.0] * 4]


def messages_of_bfloat16_are_rounded_sums() -> None:
    where = test_fused.messages(5, torch.Generator().manual_seed(0))
    y, w = torch.randn(2, 6, 37), torch.randn(2, 5, 37)
    ours = triton.message_forward(y, w, where, "gelu", HALF)
    theirs = reference.message_forward(y, w, where, "gelu")
    assert ours.dtype == HALF
    torch.testing.assert_close(ours.float(), theirs, rtol=2**-7, atol=1e-6)


def long_groups_are_split() -> None:
    """And only they: a group that fits into one chunk needs none."""
    lengths = torch.tensor([3, 0, 5 * GPU_CHUNK + 1, GPU_CHUNK, GPU_CHUNK + 1, 2])
    ptr = torch.nn.functional.pad(lengths.cumsum(0), (1, 0)).int()
    for chunks in (Chunks.of(ptr), Chunks.of(ptr, 11)):
        sizes = chunks.end - chunks.begin
        assert sizes.tolist()[:8] == [GPU_CHUNK] * 5 + [1] + [GPU_CHUNK, 1]
        assert chunks.group.tolist()[:8] == [2] * 6 + [4] * 2
        assert chunks.stop.tolist()[:8] == [6, 0, 0, 0, 0, 0, 8, 0]
        assert chunks.begin.tolist()[6] == int(ptr[4])
        assert not sizes[8:].any()
        assert not chunks.stop[8:].any()
    assert len(Chunks.of(ptr[:3]).group) == 0


def graphs_in_pieces() -> None:
    """A graph of several pieces, beside a small one and an empty slot."""
    generator = torch.Generator().manual_seed(0)
    nodes = torch.tensor([70, 0, 3, 33])
    places, types, width = 73, 4, 35
    first = torch.tensor([0, 70, places, places + 3])
    node, kind, counts = [], [], []
    for n, start in zip(nodes.tolist(), first.tolist(), strict=True):
        bonds = torch.randint(max(n, 1), (2 * n,), generator=generator).sort().values
        more = torch.randint(1, types, (2 * n,), generator=generator)
        node.append(torch.cat([torch.arange(n), bonds, torch.zeros(min(n, 1)).long()]) + start)
        kind.append(torch.cat([torch.zeros(n), more, torch.zeros(min(n, 1))]).long())
        counts.append(len(node[-1]))
    ptr = torch.tensor([0, *counts]).cumsum(0)
    where = Messages(torch.cat(node), torch.cat(kind), ptr, nodes, most=70)
    y = torch.randn(2, places, width, generator=generator)
    w = torch.randn(2, types, width, generator=generator)
    grad = torch.randn(len(where.node), width, generator=generator)
    wide = [x.double() for x in (grad, y, w)]
    before = messages.SPAN
    for messages.SPAN in (64, 16, 5):
        ours = triton.message_forward(y, w, where, "gelu")
        test_fused.close(ours, reference.message_forward(*wide[1:], where, "gelu"))
        gradients = triton.message_backward(grad, y, w, where, "gelu")
        for x, z in zip(gradients, reference.message_backward(*wide, where, "gelu"), strict=True):
            test_fused.close(x, z)
    messages.SPAN = before


def optimizer_steps() -> None:
    generator = torch.Generator().manual_seed(0)
    grad, *state = (torch.randn(3, 50, generator=generator) for _ in range(4))
    state[2] = state[2].abs()
    corrections = torch.full((3, 1), 0.3), torch.full((3, 1), 0.01)
    active = torch.tensor([True, False, True])
    for rate in (1e-2, torch.tensor(1e-2)):
        ours, theirs = tuple(t.clone() for t in state), tuple(t.double() for t in state)
        adamw(grad, ours, corrections, active, rate, 0.1)
        constants = BETA1, BETA2, EPS, 0.1
        reference.adamw_step(grad.double(), theirs, corrections, active, 1e-2, constants)
        for new, expected, old in zip(ours, theirs, state, strict=True):
            close(new[active], expected[active].float(), 1e-6)
            assert torch.equal(new[1], old[1])


def values_that_are_not_finite() -> None:
    for bad in test_not_finite.BAD:
        for act in ("gelu", "relu"):
            test_not_finite.test_a_value_before_the_activation(triton, bad, act)
            test_not_finite.test_a_message_and_its_gradients(triton, bad, act)
            test_not_finite.test_batch_norm_of_a_value_that_is_not_finite(bad, act)
        test_not_finite.test_a_value_before_the_activation(triton, bad, None)
        test_not_finite.test_a_factor_of_a_segment_product(triton, bad)
        test_not_finite.test_an_optimizer_step(triton, bad)


def dropout_noise() -> None:
    for name in test_noise.CASES:
        for rate, width in ((0.1, 1), (0.5, 37)):
            test_noise.test_compiled_equals_plain(triton, name, rate, width)
    test_noise.test_the_gradient(torch.float32, again=True)


def whole_steps() -> None:
    """Padded steps with their chunks on Triton against each step's own batch in plain torch."""
    for name, messages.SPAN in (("zinc", 64), ("shared", 2), ("tu", 64)):
        setup, data = test_stack.setup_of(VARIANTS[name])
        AdamW(setup.model.parameters(), 0.0)  # parameters become views of one tensor
        batches, _ = test_stack.stack(data, test_stack.STEPS[:1], test_stack.Sizes(), chunks=True)
        ours = test_stack.outcome(setup, test_stack.map_tensors(batches, lambda t: t[0]), 0)
        dispatch.runs_triton = lambda _: False
        theirs = test_stack.outcome(setup, data.collate(test_stack.STEPS[0]), 0)
        dispatch.runs_triton = lambda _: True
        for x, y in zip(ours, theirs, strict=True):
            close(x, y)


def main() -> None:
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)  # fills new memory with NaN
    if "widths" in sys.argv:
        widths()
    else:
        everything()
    print("all equal")


def widths() -> None:
    segment_products([(width, own, 6, 2, 3, 2) for width in WIDTHS for own in (width, 1)])
    for width in WIDTHS:
        test_fused.test_messages_and_their_gradients("gelu", 5, width)
        test_fused.test_fused_norm_equals_plain_norm("gelu", width)
    test_noise.test_compiled_equals_plain(triton, "flat", 0.3, 160)


def everything() -> None:
    segment_products(SHAPES)
    sums_of_bfloat16_are_float32()
    messages_of_bfloat16_are_rounded_sums()
    for shared, width in ((True, 16), (False, 37)):
        test_convolution.test_a_convolution_that_stores_bfloat16(shared, width)
    long_groups_are_split()
    graphs_in_pieces()
    test_fused.test_messages_and_their_gradients("gelu", 5, 37)
    test_fused.test_messages_and_their_gradients("relu", 40, 37)
    test_fused.test_messages_and_their_gradients("relu", 1, 3)
    for act, width in ((None, 1), ("gelu", 45), ("relu", 5)):
        test_fused.test_fused_norm_equals_plain_norm(act, width)
    optimizer_steps()
    dropout_noise()
    values_that_are_not_finite()
    whole_steps()


if __name__ == "__main__":
    main()
