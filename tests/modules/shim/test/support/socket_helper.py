# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Networks: there are none."""

HOST = HOSTv4 = "localhost"
HOSTv6 = "::1"
IPV6_ENABLED = has_gethostname = False
