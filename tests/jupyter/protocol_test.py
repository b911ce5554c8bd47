#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""jupyter_kernel_test, Jupyter's own checks of a kernel, with every sample filled in.

usage: protocol_test.py NACRE
"""

import sys
import unittest

import client

try:
    import jupyter_kernel_test as checks
except ImportError:
    print("jupyter_kernel_test is not installed")
    sys.exit(77)


class Welcome(checks.IopubWelcomeTests):
    kernel_name = "nacre"
    support_iopub_welcome = True


class Protocol(checks.KernelTests):
    kernel_name = "nacre"
    language_name = "python"
    file_extension = ".py"
    code_hello_world = "print('hello, world')"
    code_stderr = "import sys; print('to stderr', file=sys.stderr)"
    completion_samples = [
        {"text": "prin", "matches": {"print"}},
        {"text": "x = prin", "matches": {"print"}},
        {"text": "zi", "matches": {"zip"}},
        {"text": "ö = 1; ze", "matches": set()},
    ]
    complete_code_samples = ["1", "print('hello, world')", "def f(x):\n  return x*2\n\n", "a = 1\nb = 2"]
    incomplete_code_samples = ["print('''hello", "def f(x):\n  x*2", "for i in range(3):", "(1,\n"]
    invalid_code_samples = ["import = 7q", "1 +* 2", "a = 1\nb = = 2"]
    code_page_something = "print?"
    code_generate_error = "raise ValueError('no')"
    code_execute_result = [
        {"code": "1+2+3", "result": "6"},
        {"code": "[n*n for n in range(1, 4)]", "result": "[1, 4, 9]"},
        {"code": "a = 2\n[a, 'b']", "result": "[2, 'b']"},
    ]
    code_display_data = [
        {"code": "from IPython.display import HTML, display; display(HTML('<b>test</b>'))", "mime": "text/html"},
        {"code": "display({'image/png': b'\\x89PNG'}, raw=True)", "mime": "image/png"},
    ]
    code_history_pattern = "1?2*"
    supported_history_operations = ("tail", "range", "search")
    code_inspect_sample = "zip"
    code_clear_output = "from IPython.display import clear_output; clear_output()"


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
