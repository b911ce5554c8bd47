// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Shared by the files that render kernels for devices.

#ifndef NACRE_BACKENDS_EMIT_EMIT_GRID_TEXT_H
#define NACRE_BACKENDS_EMIT_EMIT_GRID_TEXT_H

#include "backends/emit/emit_grid.h"

// By instruction: `later`: its flags are only checked in the second turn; `shown`: a result of it that is not finite is
// detected; `guard`: it is detected by a test of the result itself. `put_off`: the number of deferred checks; 0: all
// flags are checked at once, in one turn.
typedef struct GridGuards {
    bool later[KERN_CODE], shown[KERN_CODE], guard[KERN_CODE];
    int put_off;
} GridGuards;

// Which flags a turn checks: all; or only guards, and those that cannot be deferred.
typedef enum GridTurn { TURN_ALL, TURN_GUARDED } GridTurn;

typedef struct GridText {
    Behind behind; // must be first: `behind_instr` receives its address
    const Dialect *dialect;
    const Grid *grid;
    GridGuards guards;
    GridTurn turn;
    Buf *out;
} GridText;

// emit_guard.c
void grid_find_guards(const Grid *grid, GridGuards *guards);
bool grid_shows_operands(const Grid *grid, int r); // whether reduction r is not finite if one of its operands is not

static inline int grid_accesses(const Grid *g) {
    return g->form.load_count + g->store_count;
}
static inline const char *grid_store_type(const GridText *t, int s) {
    return t->dialect->types[t->grid->store_types[s]];
}
static inline bool grid_is_complex(uint8_t type) {
    return dtype_kind((DType)type) == DK_COMPLEX;
}

// emit_grid.c
void grid_put_head(const GridText *t, const char *name); // a function's head, and its parameters
void grid_put_zero(const GridText *t, DType type);
void grid_put_number_value(const GridText *t, const char *name, int i, uint8_t type); // value of a scalar argument
// Writes the computation of indices "k3", … from a linear index over the dimensions in the set.
void grid_put_indexes(const GridText *t, const char *number, AxisSet dims);
// Writes an access's address: `base`, or its offset, plus strides times indices.
void grid_put_address(const GridText *t, const char *name, const char *base, int access, AxisSet dims);
void grid_put_loads(const GridText *t, const char *base);
void grid_put_stores(const GridText *t, int first, const char *base);
void grid_put_values(const GridText *t, GridTurn turn); // loads and instructions
void grid_put_code(const GridText *t, GridTurn turn);   // instructions; the caller has written the loads l0 …

// emit_grid_rows.c: renders GRID_NAME for a stencil.
void grid_put_rows(const GridText *t);

// emit_grid_reduce.c: renders GRID_NAME and GRID_JOIN for a reduction.
void grid_put_reduction(const GridText *t);
void grid_put_join(const GridText *t);

#endif
