# SPDX-License-Identifier: MIT
"""A measured number with its unit and uncertainty, or the reason why there is none."""
from __future__ import annotations

import math

from . import _abi
from ._library import text

_FLAGS = {value: name[len("PMON_VALUE_"):].lower() for name, value in vars(_abi).items()
          if name.startswith("PMON_VALUE_") and isinstance(value, int) and value and not value & (value - 1)}
_SCALES = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


class Value:
    """`number` is meaningful only if `valid` is true; else `reason` says why. `sigma` is one standard error; `low` and
    `high` are the ends of the 95 % confidence interval."""

    def __init__(self, raw: _abi.pmon_value, unit: str = ""):
        self.number: float = raw.number
        self.sigma: float = raw.sigma
        self.low: float = raw.low
        self.high: float = raw.high
        self.fraction: float = raw.fraction
        self.valid: bool = raw.valid
        self.reason: str = text(raw.reason)
        self.unit = unit
        self.flags: frozenset[str] = frozenset(n for bit, n in _FLAGS.items() if raw.flags & bit)

    def __float__(self) -> float:
        return self.number if self.valid else math.nan

    def __bool__(self) -> bool:
        return self.valid

    def __str__(self) -> str:
        if not self.valid:
            return f"no data ({self.reason})" if self.reason else "no data"
        scale, suffix = self._scale()
        if not self.sigma or math.isinf(self.high):
            whole = not suffix and (self.number.is_integer() or abs(self.number) >= 1000)
            return f"{self.number:.0f}" if whole else f"{self.number * scale:.4g}{suffix}"
        below, above = (self.number - self.low) * scale, (self.high - self.number) * scale
        digits = max(0, 1 - math.floor(math.log10(max(below, above)))) if max(below, above) > 0 else 0
        shown = f"{self.number * scale:.{digits}f}{suffix}"
        if abs(above - below) <= 0.25 * max(above, below):
            return f"{shown} ±{max(above, below):.{digits}f}"
        up, down = f"{above:.{digits}f}", f"{below:.{digits}f}"
        if "witness" in self.flags and not float(up) and not (self.unit == "ratio" and self.high >= 1):
            up = "?"  # at the end of the interval by time: the uncertainty beyond is unknown
        elif "witness" in self.flags and not float(down) and self.low > 0:
            down = "?"
        return f"{shown} +{up} -{down}"

    def _scale(self) -> tuple[float, str]:
        """Returns the factor with which the number is printed, and its prefix and unit."""
        if self.unit == "ratio":
            return 100, " %"
        if not self.unit:
            return 1, ""
        size, prefix = next(((s, p) for s, p in _SCALES if abs(self.number) >= s), (1.0, ""))
        return 1 / size, f" {prefix}{self.unit.replace('bytes', 'B')}"

    def __format__(self, spec: str) -> str:
        """Formats the number, NaN without one: f"{value:.2f}"; an empty specification gives str(value)."""
        return format(float(self), spec) if spec else str(self)

    def __repr__(self) -> str:
        return f"<pmon.Value {self}>"
