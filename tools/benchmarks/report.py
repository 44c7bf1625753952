"""The table of targets: what was wanted, what was measured, and whether that is met."""


class Table:
    def __init__(self, stream_line):
        self.rows = []
        self.say = stream_line

    def add(self, what, target, value, detail, unit="×", at_least=False, is_target=True):
        """A row; `is_target` is false where the figure stands for comparison alone."""
        is_met = value >= target if at_least else value <= target
        row = {
            "what": what, "target": "%s %g%s" % ("≥" if at_least else "≤", target, unit),
            "measured": "%.2f%s" % (value, unit), "value": value,
            "verdict": ("met" if is_met else "NOT MET") if is_target else "–", "detail": detail}
        self.rows.append(row)
        self.say("  %-7s %s: %s (%s); %s" % (
            row["verdict"], what, row["measured"], row["target"], detail))

    def skip(self, what, target, reason):
        self.rows.append({"what": what, "target": target, "measured": "–", "value": None,
                          "verdict": "not run", "detail": reason})
        self.say("  not run %s: %s" % (what, reason))

    def markdown(self):
        lines = ["| what | target | measured | | how it came out |", "| --- | --- | --- | --- | --- |"]
        lines += ["| %(what)s | %(target)s | %(measured)s | %(verdict)s | %(detail)s |" % row
                  for row in self.rows]
        return "\n".join(lines)

    @property
    def unmet(self):
        return [row["what"] for row in self.rows if row["verdict"] == "NOT MET"]


def milliseconds(seconds):
    return "%.1f ms" % (seconds * 1000)


def took(seconds):
    return "%.3f s" % seconds
