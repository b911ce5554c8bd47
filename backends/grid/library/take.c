// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Gather on a device: a work item for each element.

#include "backends/grid/library.h"
#include "backends/grid/text/take.h"

#include "grid_text_take.h"
#include "grid_text_take_h.h"

static bool places_of(const Kernel *k, GridPlaces *places) {
    View rest;
    const View *one = &k->args[0].view, *many = &k->result.view;
    grid_rest(one, k->attrs.axes, &rest);
    places->step = k->attrs.step;
    places->count = view_size(many);
    places->rest = view_size(&rest);
    return grid_view(&k->args[1].view, &places->at) && grid_view(&rest, &places->one) && grid_view(many, &places->many);
}

static bool form(const Dialect *dialect, const Kernel *k, GridForm *form) {
    GridPlaces places;
    (void)dialect;
    form->part[0] = (uint8_t)dtype_size(k->result.view.dtype);
    return places_of(k, &places);
}

static const char *const *text(const Dialect *dialect, const GridForm *form, Buf *out) {
    static const char *const names[] = {"nacre_take", NULL};
    (void)dialect;
    grid_define_word("T", form->part[0], out);
    buf_puts(out, GRID_TEXT_TAKE_H GRID_TEXT_TAKE);
    return names;
}

static void run(GridRun *run) {
    const Kernel *k = run->kernel;
    GridPlaces places;
    places_of(k, &places);
    void *const memories[] = {k->args[0].base, k->args[1].base, k->result.base};
    grid_step(run, 0, (GridSize){(size_t)places.count, 1}, (GridArguments){memories, 3, &places, sizeof places});
}

const GridRow grid_TAKE = {.form = form, .text = text, .run = run};
