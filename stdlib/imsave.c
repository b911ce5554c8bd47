// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Module _imsave: matplotlib.pyplot.imsave for PNG files, which writes an array of pixels without a canvas.

#include <math.h>
#include <string.h>

#include "stdlib/file_write.h"
#include "stdlib/png.h"
#include "stdlib/stdlib.h"
#include "vm/array/array.h"
#include "vm/value/ops.h"
#include "vm/value/os_text.h"
#include "vm/value/str.h"

typedef struct Colour {
    unsigned char red, green, blue;
} Colour;

enum { COLOURS = 256 };

// --- Colour maps -------------------------------------------------------------------------------

static const Colour viridis[COLOURS] = {
#define VIRIDIS(r, g, b) {r, g, b},
#include "stdlib/viridis.def"
#undef VIRIDIS
};

// The colour map "terrain" is interpolated between these colours: sea, shore, lowland, hills, mountains, snow.
static const struct {
    double at, rgb[3];
} terrain[] = {
    {0.0, {0.2, 0.2, 0.6}}, {0.15, {0.0, 0.6, 1.0}}, {0.25, {0.0, 0.8, 0.4}},
    {0.5, {1.0, 1.0, 0.6}}, {0.75, {0.5, 0.36, 0.33}}, {1.0, {1.0, 1.0, 1.0}},
};

static Colour terrain_colour(int i) {
    double x = i / 255.0, c[3];
    int k = 0;
    while (k < 4 && x > terrain[k + 1].at) k++;
    double t = (x - terrain[k].at) / (terrain[k + 1].at - terrain[k].at);
    for (int j = 0; j < 3; j++)
        c[j] = 255 * (terrain[k].rgb[j] + t * (terrain[k + 1].rgb[j] - terrain[k].rgb[j])) + 1e-9;
    return (Colour){(unsigned char)c[0], (unsigned char)c[1], (unsigned char)c[2]};
}

static Status colour_map(Vm *vm, Value name, Colour *map) {
    if (name.kind == K_NONE || (name.kind == K_STR && str_is(name.str, "viridis"))) {
        memcpy(map, viridis, sizeof viridis);
        return ST_OK;
    }
    if (name.kind != K_STR)
        return vm_raise(vm, EXC_TypeError, "cmap must be a name, not '%s'", type_name(vm, name));
    bool gray = str_is(name.str, "gray") || str_is(name.str, "grey");
    if (!gray && !str_is(name.str, "terrain"))
        return vm_raise(vm, EXC_NotImplementedError, "the colour map '%s' (there are gray, terrain "
                        "and viridis)", name.str->data);
    for (int i = 0; i < COLOURS; i++) {
        unsigned char level = (unsigned char)i;
        map[i] = gray ? (Colour){level, level, level} : terrain_colour(i);
    }
    return ST_OK;
}

// --- Pixels ------------------------------------------------------------------------------------

typedef struct Picture {
    View view; // float64
    const char *data;
    Colour map[COLOURS];
    double low, high;
    bool lower; // the first row is at the bottom
    bool bytes; // the array is uint8, with colours from 0 to 255; else colours are from 0 to 1
} Picture;

static double pixel(const Picture *p, int64_t row, int64_t column, int64_t channel) {
    const View *v = &p->view;
    double x;
    int64_t at = row * v->strides[0] + column * v->strides[1];
    if (v->ndim == 3) at += channel * v->strides[2];
    memcpy(&x, p->data + at, sizeof x);
    return x;
}

static void find_range(Picture *p, bool find_low, bool find_high) {
    double low = INFINITY, high = -INFINITY;
    for (int64_t i = 0; i < p->view.shape[0]; i++)
        for (int64_t j = 0; j < p->view.shape[1]; j++) {
            double x = pixel(p, i, j, 0);
            if (x < low) low = x;
            if (x > high) high = x;
        }
    if (find_low) p->low = low;
    if (find_high) p->high = high;
}

static void mapped_pixel(const Picture *p, double x, unsigned char *out) {
    if (isnan(x)) {
        memset(out, 0, 4);
        return;
    }
    double t = p->high > p->low ? (x - p->low) / (p->high - p->low) * COLOURS : 0;
    int i = t < 0 ? 0 : t >= COLOURS ? COLOURS - 1 : (int)t;
    out[0] = p->map[i].red;
    out[1] = p->map[i].green;
    out[2] = p->map[i].blue;
    out[3] = 255;
}

static void given_pixel(const Picture *p, int64_t i, int64_t j, unsigned char *out) {
    out[3] = 255;
    for (int64_t c = 0; c < p->view.shape[2]; c++) {
        double x = pixel(p, i, j, c) * (p->bytes ? 1 : 255);
        out[c] = (unsigned char)(x < 0 ? 0 : x > 255 ? 255 : x);
    }
}

static void picture_row(const void *ctx, uint32_t y, unsigned char *rgba) {
    const Picture *p = ctx;
    int64_t height = p->view.shape[0], width = p->view.shape[1], row = p->lower ? height - 1 - y : y;
    for (int64_t j = 0; j < width; j++, rgba += 4) {
        if (p->view.ndim == 3) given_pixel(p, row, j, rgba);
        else mapped_pixel(p, pixel(p, row, j, 0), rgba);
    }
}

static Status paint(Vm *vm, const Picture *p, const char *name) {
    Buf png;
    buf_init(&png, &vm->mem);
    png_write(&(PngRows){picture_row, p}, (uint32_t)p->view.shape[1], (uint32_t)p->view.shape[0], &png);
    Status st = file_write_whole(vm, name, &png);
    buf_free(&png);
    return st;
}

// --- imsave ------------------------------------------------------------------------------------

static Status check_picture(Vm *vm, const View *v) {
    enum { SIDE_MAX = 1 << 15 };
    bool colours = v->ndim == 3 && (v->shape[2] == 3 || v->shape[2] == 4);
    if (v->ndim != 2 && !colours)
        return vm_raise(vm, EXC_ValueError, "imsave needs an array of 2 dimensions, or of 3 with 3 "
                        "or 4 colours; this one has %d", v->ndim);
    if (v->shape[0] < 1 || v->shape[1] < 1 || v->shape[0] > SIDE_MAX || v->shape[1] > SIDE_MAX)
        return vm_raise(vm, EXC_ValueError, "imsave needs between 1 and %d rows and columns",
                        SIDE_MAX);
    return ST_OK;
}

static Status limits(Vm *vm, Picture *p, Value low, Value high) {
    Status st = ST_OK;
    if (low.kind != K_NONE) st = op_as_double(vm, low, &p->low);
    if (st == ST_OK && high.kind != K_NONE) st = op_as_double(vm, high, &p->high);
    if (st == ST_OK && p->view.ndim == 2)
        find_range(p, low.kind == K_NONE, high.kind == K_NONE);
    return st;
}

static Status save(Vm *vm, Picture *p, const Value *args) {
    Status st = check_picture(vm, &p->view);
    if (st == ST_OK) st = colour_map(vm, args[2], p->map);
    if (st == ST_OK) st = limits(vm, p, args[3], args[4]);
    if (st != ST_OK) return st;
    if (args[5].kind == K_STR) p->lower = str_is(args[5].str, "lower");
    Buf name;
    if (os_path_bytes(vm, args[0], ACCESS_WRITE, &name) != ST_OK) return ST_ERROR;
    st = paint(vm, p, name.data);
    buf_free(&name);
    return st;
}

static Status fn_imsave(Vm *vm, const Value *args, Value *out) {
    Value array, floats;
    Picture p = {.low = 0, .high = 1};
    if (args[0].kind != K_STR)
        return vm_raise(vm, EXC_TypeError, "expected str, bytes or os.PathLike object, not %s",
                        type_name(vm, args[0]));
    const char *dot = strrchr(args[0].str->data, '.');
    if (!dot || strcmp(dot, ".png") != 0)
        return vm_raise(vm, EXC_NotImplementedError, "imsave of anything but .png ('%s')",
                        args[0].str->data);
    Status st = array_from(vm, args[1], DT_NONE, &array);
    if (st != ST_OK) return st;
    p.bytes = array.array->dtype == DT_UINT8;
    st = array_from(vm, array, DT_FLOAT64, &floats);
    release(vm, array);
    if (st != ST_OK) return st;
    array_view(floats.array, &p.view);
    p.data = array_read(vm, floats.array);
    st = p.data ? save(vm, &p, args) : ST_ERROR;
    release(vm, floats);
    if (st == ST_OK) *out = V_NONE;
    return st;
}

const NativeDef imsave_functions[] = {
    {"imsave", "fname, arr, *, cmap=None, vmin=None, vmax=None, origin=None", fn_imsave, NULL,
     FILESYSTEM},
    {0},
};
