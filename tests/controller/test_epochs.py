from __future__ import annotations

from controller.epochs import RATE, START, Epochs


def test_epochs_follow_the_clock_and_never_repeat() -> None:
    now = float(START)
    epochs = Epochs(lambda: now)
    assert [next(epochs) for _ in range(3)] == [1, 2, 3]
    now += 10
    assert next(epochs) == 10 * RATE
    now -= 5
    assert next(epochs) == 10 * RATE + 1


def test_epochs_that_are_in_use_already_are_outrun() -> None:
    epochs = Epochs(lambda: START)
    epochs.outrun(700)
    epochs.outrun(3)
    assert next(epochs) == 701


def test_they_fit_their_field_for_years() -> None:
    eight_years = 8 * 365 * 86400
    assert 0 < next(Epochs(lambda: START + eight_years)) < 1 << 32
