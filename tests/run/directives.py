# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""What a test script says about itself, in comments.

    # expect: TEXT               the next line of standard output; trailing blanks do not count
    # expect error: TYPE: TEXT   the script ends with this exception and exit status 1
    # expect error line: N [col: C]   where the traceback points (columns count from 1)
    # expect exit: N             exit status (0 when nothing is said)
    # oracle: cpython            standard output, status and exception are also CPython's
    # rtol: 1e-5                 how far printed numbers may be from CPython's (default 1e-12)
    # args: A B                  command-line arguments, split as a shell would
    # timeout: SECONDS           instead of the runner's
    # one rank: REASON           not run on several ranks
    # ranks rtol: 1e-12          how far printed numbers may be from CPython's on several ranks and on devices, which add
                                 in another order
"""

import re
import shlex

KEYS = ("expect", "expect error", "expect error line", "expect exit", "oracle", "rtol", "args",
        "timeout", "one rank", "ranks rtol")
DIRECTIVE = re.compile(r"#\s*(%s):(.*)$" % "|".join(sorted(KEYS, key=len, reverse=True)))
ERROR_PLACE = re.compile(r"(\d+)(?:\s+col:\s*(\d+))?$")


class BadDirective(Exception):
    """A directive that cannot be understood."""


class Directives:
    """The directives of one script."""

    def __init__(self, source):
        self.lines = []
        self.error = None
        self.error_line = None
        self.error_col = None
        self.exit = None
        self.oracle = False
        self.rtol = 1e-12
        self.ranks_rtol = None
        self.args = []
        self.timeout = None
        self.one_rank = False
        self.has_assert = re.search(r"^\s*assert\b", source, re.M) is not None
        for line in source.splitlines():
            match = DIRECTIVE.search(line)
            if match:
                self._take(match.group(1), match.group(2))

    def _take(self, key, text):
        value = text.strip()
        if key == "expect":
            self.lines.append((text[1:] if text.startswith(" ") else text).rstrip())
        elif key == "expect error":
            self.error = value
        elif key == "expect error line":
            self._place(value)
        elif key == "expect exit":
            self.exit = int(value)
        elif key == "oracle":
            if value != "cpython":
                raise BadDirective("unknown oracle '%s'" % value)
            self.oracle = True
        elif key == "rtol":
            self.rtol = float(value)
        elif key == "ranks rtol":
            self.ranks_rtol = float(value)
        elif key == "args":
            self.args = shlex.split(value)
        elif key == "timeout":
            self.timeout = float(value)
        elif key == "one rank":
            self.one_rank = True

    def _place(self, value):
        match = ERROR_PLACE.match(value)
        if not match:
            raise BadDirective("cannot read '# expect error line: %s'" % value)
        self.error_line = int(match.group(1))
        self.error_col = int(match.group(2)) if match.group(2) else None

    @property
    def checks_something(self):
        return bool(self.oracle or self.lines or self.error or self.exit or self.has_assert)

    @property
    def status(self):
        """The exit status the script itself promises."""
        if self.exit is not None:
            return self.exit
        return 1 if self.error else 0

    @property
    def promises_output(self):
        """Whether standard output is given here, rather than only by the oracle."""
        return bool(self.lines) or not self.oracle

    @property
    def promises_status(self):
        return self.exit is not None or self.error is not None or not self.oracle
