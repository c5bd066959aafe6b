import pytest

from reports.grid.numbers import format_both, format_parameter, format_seconds, short_names


@pytest.mark.parametrize(
    ("value", "spread", "text"),
    [
        (0.06612, 0.00204, "0.0661 ± 0.0020"),
        (89.912, 4.351, "89.9 ± 4.4"),
        (85.31, 12.95, "85 ± 13"),
        (1.23456, 0.0996, "1.23 ± 0.10"),
        (1.23456, 0.95, "1.23 ± 0.95"),
        (12345.6, 250.0, "12346 ± 250"),
        (3.35, None, "3.350"),
        (0.01234567, None, "0.01235"),
        (89.912, None, "89.91"),
        (0.0, None, "0.00"),
        (66.5, 0.0, "66.50 ± 0.00"),
        (1.0, 1e-12, "1.000000 ± 1.0e-12"),
        (1e300, None, "1.000e+300"),
        (-2.5e12, 3e11, "-2.500e+12 ± 3.000e+11"),
        (999_999_999.4, None, "999999999"),
        (1.189e-06, 1.5e-07, "1.189e-06 ± 1.500e-07"),
        (7.47e-07, None, "7.470e-07"),
        (1e-12, 0.0, "1.000e-12 ± 0.000e+00"),
        (0.00001, 0.5, "0.00 ± 0.50"),
        (0.0001, None, "0.000100"),
        (None, None, "–"),
        (float("nan"), None, "nan"),
    ],
)
def test_a_value_is_rounded_by_its_spread(
    value: float | None, spread: float | None, text: str
) -> None:
    assert format_both(value, spread) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(8.44, "8.4 s"), (59.99, "60.0 s"), (200, "3 min 20 s"), (7500, "2 h 05 min"), (None, "–")],
)
def test_times(seconds: float | None, text: str) -> None:
    assert format_seconds(seconds) == text


def test_parameters() -> None:
    values = [0.000123456, {"kind": "step", "gamma": 0.6}, [-0.1, 3], None, True, "2l"]
    assert [format_parameter(v) for v in values] == [
        "0.0001235",
        "{kind: step, gamma: 0.6}",
        "[-0.1, 3]",
        "–",
        "True",
        "2l",
    ]


def test_short_names_stay_distinct() -> None:
    paths = ["model.hidden", "basis.eps.low", "basis.k.low", "low"]
    assert short_names(paths) == {
        "model.hidden": "hidden",
        "basis.eps.low": "eps.low",
        "basis.k.low": "k.low",
        "low": "low",
    }


def test_short_names_keep_what_a_range_is_of() -> None:
    paths = ["basis.eps.low", "basis.k.high", "training.schedule.kind", "model.hidden"]
    assert list(short_names(paths).values()) == ["eps.low", "k.high", "schedule.kind", "hidden"]
