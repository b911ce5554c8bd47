#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Whether docs/language.md links to files that are there, and to every script of tests/lang."""

import os
import re
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = os.path.join(HERE, os.pardir, os.pardir, "docs", "language.md")
LINK = re.compile(r"\]\(([^)#:]+)\)")


class LanguagePageTest(unittest.TestCase):
    def setUp(self):
        with open(PAGE, encoding="utf-8") as file:
            self.links = LINK.findall(file.read())

    def test_links_lead_somewhere(self):
        folder = os.path.dirname(PAGE)
        missing = [link for link in self.links if not os.path.exists(os.path.join(folder, link))]
        self.assertEqual(missing, [])

    def test_every_script_is_linked(self):
        linked = {os.path.basename(link) for link in self.links}
        scripts = {name for name in os.listdir(HERE) if name.endswith(".ncr")}
        self.assertEqual(sorted(scripts - linked), [])


if __name__ == "__main__":
    unittest.main(argv=[__file__])
