# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Runs the tests of the program; a file is told of each when it begins and when it is through: the test's name, a
tab, the outcome, a tab, why. The last line is END."""

import os
import sys
import unittest

_TOLD = os.environ["NACRE_TOLD"]


def _tell(text):
    with open(_TOLD, "a", encoding="utf-8", errors="backslashreplace") as file:
        file.write(text)


def _one_line(text):
    lines = [line for line in str(text).strip().split("\n") if line.strip()]
    kept = [line for line in lines if not line.startswith((" ", "Traceback"))]
    return (kept[-1] if kept else "").replace("\t", " ")[:300]


class Recording(unittest.TestResult):
    def startTest(self, test):
        unittest.TestResult.startTest(self, test)
        self.outcome, self.why = "ok", ""
        _tell(test.id().replace("__main__.", "m.", 1).replace("\t", " ").replace("\n", " "))

    def stopTest(self, test):
        unittest.TestResult.stopTest(self, test)
        _tell(f"\t{self.outcome}\t{self.why}\n")

    def _worse(self, outcome, err):
        if self.outcome != "error":
            self.outcome = outcome
        if not self.why:
            self.why = _one_line(f"{err[0].__name__}: {err[1]}")

    def addError(self, test, err):
        if type(test).__name__ == "_ErrorHolder":
            _tell(f"{test.id()}\terror\t{_one_line(err[1])}\n")
            return
        self._worse("error", err)

    def addFailure(self, test, err):
        self._worse("fail", err)

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self._worse("fail" if issubclass(err[0], test.failureException) else "error", err)

    def addSkip(self, test, reason):
        if type(test).__name__ == "_ErrorHolder":
            _tell(f"{test.id()}\tskip\t{_one_line(reason)}\n")
        elif self.outcome == "ok":
            self.outcome, self.why = "skip", _one_line(reason)

    def addExpectedFailure(self, test, err):
        pass

    def addUnexpectedSuccess(self, test):
        self.outcome = "fail"


def main():
    suite = unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"])
    suite.run(Recording())
    _tell("END\n")
