# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Seeds of random tests that another commit changes, and nothing else: what fails, fails again."""

import os
import subprocess


def hash_of_commit():
    """The first 12 digits of it; "none" without git."""
    try:
        done = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True,
                              cwd=os.path.dirname(os.path.abspath(__file__)))
    except OSError:
        return "none"
    return done.stdout.strip()[:12] or "none"


def seed_of_commit():
    """A number below a million."""
    digits = hash_of_commit()
    return int(digits, 16) % 10**6 if digits != "none" else 0
