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
    """`number` means something only when `valid` is true; `reason` says why it is not."""

    def __init__(self, raw: _abi.pmon_value, unit: str = ""):
        self.number: float = raw.number
        self.sigma: float = raw.sigma
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
        if self.unit == "ratio":
            shown = f"{100 * self.number:.4g} %"
        elif self.unit:
            scale, prefix = next(((s, p) for s, p in _SCALES if abs(self.number) >= s), (1.0, ""))
            short = self.unit.replace("bytes", "B")
            shown = f"{self.number / scale:.4g} {prefix}{short}"
        else:
            shown = f"{self.number:.0f}"
        if self.sigma:
            relative = 1.96 * self.sigma / abs(self.number) if self.number else math.inf
            shown += f" ±{100 * relative:.2g} %" if relative < 1 else f" ±{1.96 * self.sigma:.3g}"
        return shown

    def __repr__(self) -> str:
        return f"<pmon.Value {self}>"
