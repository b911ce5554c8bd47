#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""The run that belongs to the default tests: 600 programs, always the same ones.

    generated_test.py PATH-OF-NACRE

A sanitized program maps terabytes, so that its address space is not limited."""

import sys

import run_generated

if __name__ == "__main__":
    nacre = sys.argv[1]
    sanitized = any(name in nacre for name in ("asan", "tsan"))
    sys.exit(
        run_generated.main(
            ["--nacre", nacre, "--count", "600", "--seed", "1"]
            + (["--memory-gib", "0", "--timeout", "60"] if sanitized else [])
        )
    )
