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


def in_child(work, *arguments):
    """Runs a function in a process of its own, since what this one holds counts as memory of those
    that it starts; whether it returned True."""
    child = os.fork()
    if child == 0:
        good = False
        try:
            good = work(*arguments)
        finally:
            os._exit(0 if good else 1)
    return os.waitpid(child, 0)[1] == 0


def write(path, make):
    with open(path, "wb") as file:
        file.write(make())
    return True


def is_harmless(path):
    """Whether the output is JSON, and nothing in it drives a terminal."""
    with open(path, "rb") as file:
        output = file.read()
    json.loads(output)
    return not any(mark in output for mark in (b"\x1b", b"\0", b"\\u001b", b"\xe2\x80\xae"))


def read(make, runs=1):
    """Exit code, whether the output is harmless, least processor seconds, megabytes of memory, and
    the document's megabytes."""
    with tempfile.TemporaryDirectory() as folder:
        path, output = os.path.join(folder, "feed"), os.path.join(folder, "output")
        in_child(write, path, make)
        times, memory = [], 0
        for _ in range(runs):
            with open(output, "wb") as file:
                child = subprocess.Popen(
                    [NERDFEED, "parse", "--format", "json", path], stdout=file,
                    stderr=subprocess.DEVNULL)
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            times.append(usage.ru_utime + usage.ru_stime)
            memory = max(memory, usage.ru_maxrss / 1024)
        size = os.path.getsize(path) / MEGABYTE
        return child.returncode, in_child(is_harmless, output), min(times), memory, size


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
        _, _, seconds, memory, size = read(lambda: feed(10 * MEGABYTE, wrap), runs=3)
        speed = size / seconds
        print("%-8s %.1f MB: %.0f MB/s with start and output, %.0f MB of memory"
              % (name, size, speed, memory))
        if speed < LEAST_MEGABYTES_PER_SECOND:
            problems.append(name + " is slow")
    return problems


def rss(inside):
    return ("<rss><channel>" + inside + "</channel></rss>").encode()


def hostile():
    """How to make documents, by what is bad about them."""
    levels = "".join('<!ENTITY a%d "%s">' % (i, ("&a%d;" % (i - 1)) * 10) for i in range(1, 12))
    bomb = '<!DOCTYPE r [<!ENTITY a0 "lol">' + levels + "]>"
    body = lambda text: rss("<item><description><![CDATA[" + text + "]]></description></item>")
    return {
        "entity bomb": lambda: bomb.encode() + rss("<title>x&a11;</title>"),
        "20,000 levels": lambda: rss(
            "<item><description>" + "<div>" * 20000 + "x" + "</div>" * 20000
            + "</description></item>"),
        "2,000,000 open elements": lambda: b"<rss>" + b"<a>" * 2000000,
        "100,000 namespaces": lambda: b"<rss>" + b"".join(
            b"<a%d xmlns:p%d='u%d'>" % (i, i, i) for i in range(100000)),
        "title of 50 MB": lambda: rss("<title>" + "A" * (50 * MEGABYTE) + "</title>"),
        "title of 10 M ampersands": lambda: rss("<title>" + "&" * (10 * MEGABYTE) + "</title>"),
        "100,000 items": lambda: rss("<item><title>t</title></item>" * 100000),
        "NULs alone": lambda: b"\0" * (10 * MEGABYTE),
        "control characters": lambda: rss("<title>a\0b\x1b[31mc\x07\u202ed\u009b31m&#27;[2J</title>"),
        "a million attributes": lambda: b"<rss " + b" ".join(b"a%d='1'" % i for i in range(1000000)) + b">",
        "700,000 names": lambda: rss("".join("<x%d/>" % i for i in range(700000))),
        "unclosed comments": lambda: b"<rss>" + b"<!--" * (2 * MEGABYTE),
        "unclosed sections": lambda: b"<rss><channel><title>" + b"<![CDATA[" * MEGABYTE,
        "unclosed attributes": lambda: b"<rss>" + b'<a b="' * MEGABYTE,
        "ends without starts": lambda: b"<rss>" + b"<a>" * 190 + b"</b></c>" * MEGABYTE,
        "body of open tags": lambda: body("<a " * (2 * MEGABYTE)),
        "body of scripts": lambda: body("<script>" * MEGABYTE),
        "body of list items": lambda: body("<li>" * (2 * MEGABYTE)),
        "body of crossed tags": lambda: body("<b>" * 99 + "</i>" * (2 * MEGABYTE)),
        "JSON of 5 M brackets": lambda:
            b'{"version":"https://jsonfeed.org/version/1","items":' + b"[" * (5 * MEGABYTE),
        "bytes of no encoding": lambda: rss("<title>").replace(b"</channel></rss>", b"")
            + bytes(range(128, 256)) * 40000,
    }


def check_hostile():
    problems = []
    worst = (0, "")
    for name, make in hostile().items():
        code, good, seconds, memory, size = read(make)
        worst = max(worst, (seconds / max(size, 1), name))
        if code not in (0, 65):
            problems.append("%s: exit code %d" % (name, code))
        if seconds > 1 + size * SECONDS_PER_MEGABYTE:
            problems.append("%s: %.1f s" % (name, seconds))
        if memory > 120 + size * 8:
            problems.append("%s: %.0f MB" % (name, memory))
        if not good:
            problems.append(name + ": the output is no JSON, or would drive a terminal")
    print("%d hostile documents, the slowest for its size: %s, %.2f s per MB"
          % (len(hostile()), worst[1], worst[0]))
    return problems


def main():
    problems = check_speed() + check_hostile()
    for problem in problems:
        print("FAILED: " + problem, file=sys.stderr)
    sys.exit(1 if problems else 0)


main()
