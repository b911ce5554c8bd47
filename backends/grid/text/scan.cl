// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Combinations of elements in order: scans (scan_group.cl, scan_item.cl) and reductions of pieces (pieces.cl). T: the type
// of results; combine: what combines; check: raises its flags; get_F, to_T: an operand's element, as T.

static inline T element(GLOBAL const char *row, int64_t at, CONST_REF(GridScan) g) {
    return to_T(get_F(row + at * g.from_stride));
}
