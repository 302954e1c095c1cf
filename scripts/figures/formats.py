"""Formats of numbers."""

import re
from fractions import Fraction

from asking import Problem

UNITS = {
    "%": Fraction(1, 100),
    "kB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "KiB": 2**10,
    "MiB": 2**20,
    "GiB": 2**30,
    "million": 10**6,
    "billion": 10**9,
}
NUMBER = r"\d+(?:,\d{3})*(?:\.\d+)?(?:e-?\d+)?"


def decimal(value, digits):
    """Formats a number with this many decimals; halves are rounded up."""
    unit = 10**digits
    whole, part = divmod(int(Fraction(value) * unit + Fraction(1, 2)), unit)
    return f"{whole}.{part:0{digits}d}" if digits else f"{whole}"


def percent(share):
    """Formats a percentage with one decimal, or two significant digits if it is tiny."""
    is_tiny = 0 < share < Fraction(1, 2000)
    return f"{significant(100 * share, 2) if is_tiny else decimal(100 * share, 1)} %"


def significant(value, digits):
    places = 0
    while value and value * 10**places < 10 ** (digits - 1):
        places += 1
    return decimal(value, places)


def scientific(value, digits, down=False):
    """Formats `9.479e26`; a lower bound is rounded down."""
    exponent = len(str(int(value))) - 1
    while value and value < Fraction(10) ** exponent:
        exponent -= 1
    unit = Fraction(10) ** (exponent - digits + 1)
    rounded = int(value / unit + (0 if down else Fraction(1, 2)))
    if rounded == 10**digits:
        rounded, exponent = rounded // 10, exponent + 1
    first, rest = str(rounded)[0], str(rounded)[1:]
    return f"{first}.{rest}e{exponent}" if rest else f"{first}e{exponent}"


def metric_bytes(count):
    """Formats `87 MB`, `1.1 GB`."""
    if count < 10**9:
        return f"{decimal(Fraction(count, 10**6), 0)} MB"
    return f"{decimal(Fraction(count, 10**9), 1)} GB"


def as_shown(value, shown, scale):
    """Formats a number like the one it replaces."""
    value = Fraction(value) / scale
    if "e" in shown:
        return scientific(value, len(shown.split("e")[0].replace(".", "")))
    digits = len(shown.partition(".")[2])
    text = decimal(value, digits)
    if value and not text.strip("0."):
        raise Problem(f"{shown} needs more digits for {float(value):.2g}")
    whole, point, part = text.partition(".")
    is_grouped = "," in shown or len(whole) > 4
    return (f"{int(whole):,}" if is_grouped else whole) + point + part


def renewed(text, values):
    """Replaces the numbers of a text; if the value is a text, returns that."""
    values = values if isinstance(values, list) else [values]
    if isinstance(values[0], str):
        return values[0]
    unit = re.search(rf"(?<=\d)\s+({'|'.join(UNITS)})(?!\w)", text)
    scale = UNITS[unit[1]] if unit else 1
    shown = list(re.finditer(NUMBER, text))
    if len(shown) != len(values):
        raise Problem(f"“{text}” has {len(shown)} numbers, and the query gives {len(values)}")
    if text.startswith("some "):
        is_near = all(
            abs(value / scale - int(match[0].replace(",", ""))) <= Fraction(value, 20) / scale
            for match, value in zip(shown, values)
        )
        if is_near:
            return text
    for match, value in reversed(list(zip(shown, values))):
        text = text[: match.start()] + as_shown(value, match[0], scale) + text[match.end() :]
    return text
