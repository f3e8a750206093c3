#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
plot.py - what a packet costs, against the number of flows: bench.json as SVG

  plot.py BENCH_JSON >bench.svg

In:  figures of scripts/bench all. Out: a drawing for instructions, one beside it for times if
     there are any; both axes logarithmic. A path is drawn if it has been measured with several
     numbers of flows: IPv4, requests, all else as at the point of reference.
"""
import json
import math
import sys

WIDTH, HEIGHT = 560, 420                          # of a panel
LEFT, RIGHT, TOP, BOTTOM = 70, 40, 50, 110        # around its frame
REFERENCE = {"family": 4, "direction": "request", "services": 1, "pins": 0, "down": 0}
COLOURS = ("#1f6fb4", "#c23b22", "#e09f1f", "#3a8f4d", "#7d4fa3", "#777777")
TITLES = {"counted_instr": "instructions for each packet", "timed_ns": "ns for each packet"}


def lines(rows, column):
    """Path -> points (flows, cost), in the order of paths in the file."""
    found = {}
    for row in rows:
        if row[column] and row[column] > 0 and row["path"] != "generator" and \
                all(row[key] == value for key, value in REFERENCE.items()):
            found.setdefault(row["path"], []).append((row["flows"], row[column]))
    return {path: sorted(points) for path, points in found.items() if len(points) > 1}


def decades(values):
    return math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))


class Panel:
    """One pair of axes, at @x of the drawing."""

    def __init__(self, x, title, found):
        self.x0, self.title, self.found = x, title, found
        points = [point for each in found.values() for point in each]
        self.xs = decades([flows for flows, _ in points])
        self.ys = decades([cost for _, cost in points])

    def x(self, flows):
        part = (math.log10(flows) - self.xs[0]) / (self.xs[1] - self.xs[0])
        return self.x0 + LEFT + part * (WIDTH - LEFT - RIGHT)

    def y(self, cost):
        part = (math.log10(cost) - self.ys[0]) / (self.ys[1] - self.ys[0])
        return HEIGHT - BOTTOM - part * (HEIGHT - TOP - BOTTOM)

    def axes(self):
        yield text(self.x0 + WIDTH / 2, 24, self.title, "middle", 15)
        yield text(self.x0 + WIDTH / 2, HEIGHT - BOTTOM + 38, "flows", "middle")
        for power in range(self.xs[0], self.xs[1] + 1):
            x = self.x(10 ** power)
            yield rule(x, TOP, x, HEIGHT - BOTTOM)
            yield text(x, HEIGHT - BOTTOM + 18, f"{10 ** power:,}", "middle")
        for power in range(self.ys[0], self.ys[1] + 1):
            y = self.y(10 ** power)
            yield rule(self.x0 + LEFT, y, self.x0 + WIDTH - RIGHT, y)
            yield text(self.x0 + LEFT - 8, y + 4, f"{10 ** power:,}", "end")

    def draw(self):
        yield from self.axes()
        for i, (path, points) in enumerate(self.found.items()):
            colour = COLOURS[i % len(COLOURS)]
            at = [(self.x(flows), self.y(cost)) for flows, cost in points]
            yield (f'<polyline fill="none" stroke="{colour}" stroke-width="2" points="' +
                   " ".join(f"{x:.1f},{y:.1f}" for x, y in at) + '"/>')
            for (x, y), (flows, cost) in zip(at, points):
                yield (f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}">'
                       f"<title>{path}: {flows:,} flows, {cost:,.0f}</title></circle>")
            x = self.x0 + LEFT + i % 2 * (WIDTH - LEFT - RIGHT) / 2
            y = HEIGHT - 46 + i // 2 * 18
            yield f'<rect x="{x:.1f}" y="{y - 9:.1f}" width="12" height="10" fill="{colour}"/>'
            yield text(x + 18, y, path)


def text(x, y, words, anchor="start", size=12):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">{words}</text>'


def rule(x1, y1, x2, y2):
    return f'<path stroke="#ccc" d="M{x1:.1f},{y1:.1f}L{x2:.1f},{y2:.1f}"/>'


def main(words):
    if len(words) != 1:
        sys.exit("plot.py: expected a file")
    with open(words[0], encoding="ascii") as file:
        rows = json.load(file)
    panels = []
    for column, title in TITLES.items():
        found = lines(rows, column)
        if found:
            panels.append(Panel(len(panels) * WIDTH, title, found))
    if not panels:
        sys.exit("plot.py: no path with several numbers of flows")
    print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{len(panels) * WIDTH}" '
          f'height="{HEIGHT}" font-family="sans-serif">')
    print('<rect width="100%" height="100%" fill="white"/>')
    for panel in panels:
        print("\n".join(panel.draw()))
    print("</svg>")


if __name__ == "__main__":
    main(sys.argv[1:])
