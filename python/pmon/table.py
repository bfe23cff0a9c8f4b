# SPDX-License-Identifier: MIT
"""A table of results: iteration, text, HTML for notebooks, pandas."""
from __future__ import annotations

import html
from typing import Any, Iterator, Sequence


class Table(Sequence):
    """Rows with named columns. Each row is a dict with all columns."""

    def __init__(self, columns: Sequence[str], rows: Sequence[dict[str, Any]], title: str = ""):
        self.columns, self.rows, self.title = list(columns), list(rows), title

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows)

    def __getitem__(self, i):
        return Table(self.columns, self.rows[i], self.title) if isinstance(i, slice) else self.rows[i]

    def column(self, name: str) -> list[Any]:
        """Returns the values of one column."""
        return [row[name] for row in self.rows]

    def __str__(self) -> str:
        cells = [self.columns] + [[_cell(row[name]) for name in self.columns] for row in self.rows]
        widths = [max(len(line[i]) for line in cells) for i in range(len(self.columns))]
        right = [bool(self.rows) and all(_is_number(row[name]) for row in self.rows) for name in self.columns]
        lines = []
        for line in cells:
            parts = [t.rjust(w) if r else t.ljust(w) for t, w, r in zip(line, widths, right)]
            lines.append("  ".join(parts).rstrip())
        return "\n".join(([self.title] if self.title else []) + lines)

    def __repr__(self) -> str:
        return f"<pmon.Table: {len(self.rows)} rows, columns {', '.join(self.columns)}>"

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{html.escape(name)}</th>" for name in self.columns)
        body = "".join("<tr>" + "".join(f"<td>{html.escape(_cell(row[name]))}</td>" for name in self.columns) + "</tr>"
                       for row in self.rows)
        title = f"<caption>{html.escape(self.title)}</caption>" if self.title else ""
        return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def to_pandas(self):
        """Returns a pandas.DataFrame. Values become floats, missing values NaN. Raises ImportError without pandas."""
        import pandas
        from .value import Value
        plain = [{name: float(v) if isinstance(v, Value) else v for name, v in row.items()} for row in self.rows]
        return pandas.DataFrame(plain, columns=self.columns)


def _is_number(value: Any) -> bool:
    from .value import Value
    return isinstance(value, (int, float, Value)) and not isinstance(value, bool)


def _cell(value: Any) -> str:
    return "" if value is None else str(value)
