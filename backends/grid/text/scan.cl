// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Combines elements in order: scans (scan_group.cl, scan_item.cl) and reductions of pieces (pieces_group.cl,
// pieces_item.cl). T: the type of results; combine: the operation; check: raises its flags; get_F: loads an operand's
// element; to_T: casts it to T.

static inline T element(GLOBAL const char *row, int64_t at, CONST_REF(GridScan) g) {
    return to_T(get_F(row + at * g.from_stride));
}
