"""Shares of a long sweep: each run takes one, and all of them together take every point."""

import argparse
import zlib


class Share:
    """The `number`-th of `count` shares, counted from 1."""

    def __init__(self, number=1, count=1):
        self.number = number
        self.count = count

    def has(self, sweep, point):
        # Each sweep begins elsewhere, so that those with one point do not all stand in one share.
        return (zlib.crc32(sweep.encode()) + point) % self.count == self.number - 1


def _parse(text):
    try:
        number, count = (int(part) for part in text.split("/"))
    except ValueError:
        number, count = 0, 0
    if not 1 <= number <= count:
        raise argparse.ArgumentTypeError("%r is not K/N with K from 1 to N" % text)
    return Share(number, count)


def add_argument(parser):
    parser.add_argument("--share", type=_parse, default=Share(), metavar="K/N",
                        help="the K-th of N shares of all points; in N runs, all of them")
