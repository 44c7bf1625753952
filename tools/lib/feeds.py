#!/usr/bin/env python3
"""Feeds made to be large or hostile, read by $NERDFEED: prints what they took, fails if too much."""
import html
import json
import os
import random
import subprocess
import sys
import tempfile

NERDFEED = os.environ["NERDFEED"]
MEGABYTE = 1 << 20
# Of the processor's time, so that what else runs does not count. Generous: the check is for what
# grows faster than its input, and machines differ.
SECONDS_PER_MEGABYTE = 0.3
# Slower than this is a mistake on any machine; the aim on a quiet one is 40.
LEAST_MEGABYTES_PER_SECOND = 12


def read(document):
    """Exit code, output, processor seconds and megabytes of one run."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(document)
        file.flush()
        child = subprocess.Popen(
            [NERDFEED, "parse", "--format", "json", file.name],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        output = child.stdout.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    seconds = usage.ru_utime + usage.ru_stime
    return child.returncode, output, seconds, usage.ru_maxrss / 1024


def feed(size, wrap):
    """A feed of about that size with bodies as people write them."""
    chance = random.Random(8)
    words = ["the", "of", "reader", "feed", "Bücher", "naïve", "people’s", "and", "server", "folder"]

    def paragraph():
        parts = []
        for _ in range(chance.randint(20, 80)):
            word = chance.choice(words)
            kind = chance.random()
            if kind < 0.05:
                word = '<a href="http://example.com/%d?a=1&amp;b=2">%s</a>' % (len(parts), word)
            elif kind < 0.08:
                word = "<b>%s</b>" % word
            elif kind < 0.10:
                word = '<img src="/img/%d.png" alt="x" width="300" height="200">' % len(parts)
            elif kind < 0.12:
                word += "&nbsp;&#8217;"
            parts.append(word)
        return "<p>" + " ".join(parts) + "</p>\n"

    bodies = ["".join(paragraph() for _ in range(chance.randint(2, 10))) for _ in range(200)]
    items, length = [], 0
    while length < size:
        items.append(
            "<item><title>Item %d</title><link>http://example.com/%d</link>"
            "<guid isPermaLink='false'>tag:%d</guid><category>One</category>"
            "<pubDate>Thu, 01 Jan 2004 19:48:21 GMT</pubDate>"
            "<description>%s</description></item>\n"
            % (len(items), len(items), len(items), wrap(chance.choice(bodies))))
        length += len(items[-1].encode())
    start = "<rss version='2.0'><channel><title>T</title><link>http://example.com/</link>"
    return (start + "".join(items) + "</channel></rss>").encode()


def check_speed():
    problems = []
    forms = {
        "escaped": lambda body: html.escape(body, quote=False),
        "CDATA": lambda body: "<![CDATA[" + body + "]]>",
    }
    for name, wrap in forms.items():
        document = feed(10 * MEGABYTE, wrap)
        runs = [read(document) for _ in range(3)]
        seconds = min(run[2] for run in runs)
        memory = max(run[3] for run in runs)
        speed = len(document) / MEGABYTE / seconds
        count = len(json.loads(runs[0][1])["items"])
        print("%-8s %.1f MB, %d items: %.0f MB/s with start and output, %.0f MB of memory"
              % (name, len(document) / MEGABYTE, count, speed, memory))
        if speed < LEAST_MEGABYTES_PER_SECOND:
            problems.append(name + " is slow")
    return problems


def rss(inside):
    return ("<rss><channel>" + inside + "</channel></rss>").encode()


def hostile():
    """Documents by what is bad about them."""
    levels = "".join('<!ENTITY a%d "%s">' % (i, ("&a%d;" % (i - 1)) * 10) for i in range(1, 12))
    bomb = '<!DOCTYPE r [<!ENTITY a0 "lol">' + levels + "]>"
    body = lambda text: rss("<item><description><![CDATA[" + text + "]]></description></item>")
    return {
        "entity bomb": bomb.encode() + rss("<title>x&a11;</title>"),
        "20,000 levels": rss(
            "<item><description>" + "<div>" * 20000 + "x" + "</div>" * 20000
            + "</description></item>"),
        "2,000,000 open elements": b"<rss>" + b"<a>" * 2000000,
        "100,000 namespaces": b"<rss>" + b"".join(
            b"<a%d xmlns:p%d='u%d'>" % (i, i, i) for i in range(100000)),
        "title of 50 MB": rss("<title>" + "A" * (50 * MEGABYTE) + "</title>"),
        "title of 10 M ampersands": rss("<title>" + "&" * (10 * MEGABYTE) + "</title>"),
        "100,000 items": rss("<item><title>t</title></item>" * 100000),
        "NULs alone": b"\0" * (10 * MEGABYTE),
        "control characters": rss("<title>a\0b\x1b[31mc\x07\u202ed\u009b31m&#27;[2J</title>"),
        "a million attributes": b"<rss " + b" ".join(b"a%d='1'" % i for i in range(1000000)) + b">",
        "700,000 names": rss("".join("<x%d/>" % i for i in range(700000))),
        "unclosed comments": b"<rss>" + b"<!--" * (2 * MEGABYTE),
        "unclosed sections": b"<rss><channel><title>" + b"<![CDATA[" * MEGABYTE,
        "unclosed attributes": b"<rss>" + b'<a b="' * MEGABYTE,
        "ends without starts": b"<rss>" + b"<a>" * 190 + b"</b></c>" * MEGABYTE,
        "body of open tags": body("<a " * (2 * MEGABYTE)),
        "body of scripts": body("<script>" * MEGABYTE),
        "body of list items": body("<li>" * (2 * MEGABYTE)),
        "body of crossed tags": body("<b>" * 99 + "</i>" * (2 * MEGABYTE)),
        "JSON of 5 M brackets":
            b'{"version":"https://jsonfeed.org/version/1","items":' + b"[" * (5 * MEGABYTE),
        "bytes of no encoding": rss("<title>").replace(b"</channel></rss>", b"")
            + bytes(range(128, 256)) * 40000,
    }


def check_hostile():
    problems = []
    worst = (0, "")
    for name, document in hostile().items():
        code, output, seconds, memory = read(document)
        size = len(document) / MEGABYTE
        worst = max(worst, (seconds / max(size, 1), name))
        if code not in (0, 65):
            problems.append("%s: exit code %d" % (name, code))
        if seconds > 1 + size * SECONDS_PER_MEGABYTE:
            problems.append("%s: %.1f s" % (name, seconds))
        if memory > 120 + size * 8:
            problems.append("%s: %.0f MB" % (name, memory))
        if any(mark in output for mark in (b"\x1b", b"\0", b"\\u001b", b"\xe2\x80\xae")):
            problems.append(name + ": what drives a terminal is printed")
        try:
            json.loads(output)
        except ValueError:
            problems.append(name + ": the output is no JSON")
    print("%d hostile documents, the slowest for its size: %s, %.2f s per MB"
          % (len(hostile()), worst[1], worst[0]))
    return problems


def main():
    problems = check_speed() + check_hostile()
    for problem in problems:
        print("FAILED: " + problem, file=sys.stderr)
    sys.exit(1 if problems else 0)


main()
