"""Confidence intervals of proportions, computed independently of the program."""

import functools
from fractions import Fraction

def at_least(successes, trials, probability):
    """Returns the probability of at least this many successes."""
    chance, factor = Fraction(0), Fraction(1)
    other = 1 - probability
    for count in range(trials + 1):
        if count >= successes:
            chance += factor * probability**count * other ** (trials - count)
        factor = factor * (trials - count) / (count + 1)
    return chance


@functools.cache
def clopper_pearson(successes, trials):
    """Returns the exact 95 % interval of a proportion (2.5 % at either end), to 20 binary digits,
    rounded outwards."""
    digits, tail = 20, Fraction(25, 1000)

    def search(holds):
        """Returns the largest fraction among 0, 1/2^20, … for which `holds`, as it does for 0."""
        low, high = 0, 1 << digits
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if holds(Fraction(middle, 1 << digits)) else (low, middle)
        return Fraction(low, 1 << digits)

    low = search(lambda p: at_least(successes, trials, p) <= tail) if successes else Fraction(0)
    # The upper end is the lower end for failures.
    failures = trials - successes
    high = search(lambda p: at_least(failures, trials, p) <= tail) if failures else Fraction(0)
    return low, 1 - high


def wilson(points, games):
    """Returns Wilson's 95 % interval; for half points there is no exact one."""
    square, share = 1.959963984540054**2, points / games
    middle = share + square / (2 * games)
    half = (square * (share * (1 - share) / games + square / (4 * games**2))) ** 0.5
    scale = 1 + square / games
    return max(0.0, (middle - half) / scale), min(1.0, (middle + half) / scale)


def percent_of_points(wins, losses, draws, is_half=True):
    """Formats the proportion of points, or of wins, with its interval: `75 % (42 to 90)`."""
    won, games = wins + (draws / 2 if is_half else 0), wins + losses + draws
    shown = [f"{100 * x:.0f}" for x in (won / games, *wilson(won, games))]
    return f"{shown[0]} % ({shown[1]} to {shown[2]})"
