// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Stamps: Cairo computes a shape's coverage of pixels once, and it is blended at many places here. For a million
// places, calling Cairo for each would take seconds; this takes a tenth of one.

#include "stdlib/pictures/canvas.h"

#include <limits.h>
#include <math.h>

enum { SIDE_MOST = 256 }; // pixels; larger shapes are seldom many

bool stamp_fits(const Path *path, const Pen *pen) {
    double box[4], reach = pen ? pen->width * pen_miter(pen, CANVAS_PNG) : 0;
    if (!path_box(path, box)) return true;
    return box[2] - box[0] + reach < SIDE_MOST && box[3] - box[1] + reach < SIDE_MOST;
}

// Sets the stamp's box to what the shape covers, as Cairo's context reports it.
static void find_box(Stamp *stamp, cairo_t *cairo, const Pen *pen) {
    double x0, y0, x1, y1;
    if (pen) cairo_stroke_extents(cairo, &x0, &y0, &x1, &y1);
    else cairo_fill_extents(cairo, &x0, &y0, &x1, &y1);
    stamp->x0 = (int)floor(x0);
    stamp->y0 = (int)floor(y0);
    stamp->width = (int)ceil(x1) - stamp->x0;
    stamp->height = (int)ceil(y1) - stamp->y0;
}

// Returns a context that draws on a new surface of the stamp's size, with the pen and path set.
static cairo_t *context_make(const Stamp *stamp, const Path *path, const Pen *pen) {
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_A8, stamp->width, stamp->height);
    cairo_t *cairo = cairo_create(surface);
    cairo_surface_destroy(surface); // the context holds it
    cairo_translate(cairo, -stamp->x0, -stamp->y0);
    if (pen) pen_put(pen, cairo, pen_miter(pen, CANVAS_PNG));
    path_put(path, cairo);
    return cairo;
}

bool stamp_make(Stamp *stamp, const Path *path, const Pen *pen) {
    *stamp = (Stamp){0};
    cairo_t *cairo = context_make(stamp, path, pen);
    find_box(stamp, cairo, pen);
    bool ok = cairo_status(cairo) == CAIRO_STATUS_SUCCESS;
    cairo_destroy(cairo);
    if (!ok || stamp->width <= 0 || stamp->height <= 0) {
        stamp->width = stamp->height = 0;
        return ok;
    }
    cairo = context_make(stamp, path, pen);
    cairo_surface_t *surface = cairo_get_target(cairo);
    if (pen) cairo_stroke(cairo);
    else cairo_fill(cairo);
    ok = cairo_status(cairo) == CAIRO_STATUS_SUCCESS;
    if (ok) {
        cairo_surface_flush(surface);
        stamp->surface = cairo_surface_reference(surface);
        stamp->cover = cairo_image_surface_get_data(surface);
        stamp->stride = cairo_image_surface_get_stride(surface);
    }
    cairo_destroy(cairo);
    return ok;
}

void stamp_free(Stamp *stamp) {
    if (stamp->surface) cairo_surface_destroy(stamp->surface);
    *stamp = (Stamp){0};
}

// --- Blending ------------------------------------------------------------------------------------

bool stamps_begin(Canvas *canvas) {
    if (canvas->clip_path.op_count && !canvas->mask) canvas->mask = canvas_mask(canvas);
    cairo_surface_flush(canvas->surface);
    return !canvas->failed;
}

void stamps_end(Canvas *canvas) {
    cairo_surface_mark_dirty(canvas->surface);
}

// Multiplies each byte of a pixel by `by` / 255, rounded; two bytes at once in the halves of a word (SWAR).
static inline uint32_t scaled(uint32_t pixel, uint32_t by) {
    const uint32_t halves = 0x00ff00ff, round = 0x00800080;
    uint32_t low = (pixel & halves) * by + round, high = (pixel >> 8 & halves) * by + round;
    low = (low + (low >> 8 & halves)) >> 8 & halves;
    high = (high + (high >> 8 & halves)) & ~halves;
    return high | low;
}

static uint32_t byte_of(double x) {
    return x <= 0 ? 0 : x >= 1 ? 255 : (uint32_t)(x * 255 + 0.5);
}

// Returns a colour as Cairo's pixel: ARGB32 with premultiplied alpha.
static uint32_t pixel_of(const Colour *c) {
    uint32_t opaque = 0xff000000 | byte_of(c->r) << 16 | byte_of(c->g) << 8 | byte_of(c->b);
    return scaled(opaque, byte_of(c->a));
}

static void put_row(uint32_t *to, const unsigned char *cover, const unsigned char *mask, int count, uint32_t colour) {
    for (int i = 0; i < count; i++) {
        uint32_t part = cover[i];
        if (mask) part = scaled(part, mask[i]);
        uint32_t over = scaled(colour, part);
        to[i] = over + scaled(to[i], 255 - (over >> 24));
    }
}

// The part of a stamp at a position that is within the clip.
typedef struct Part {
    int left, right, top, bottom; // in the stamp
    uint32_t *to;                 // pixel of the part's upper left corner
    const unsigned char *mask;    // clip mask at that corner, or NULL
    int mask_stride;
} Part;

static bool part_of(const Canvas *canvas, const IntBox *clip, int x, int y, int width, int height, Part *part) {
    part->left = x < clip->x0 ? clip->x0 - x : 0;
    part->right = x + width > clip->x1 ? clip->x1 - x : width;
    part->top = y < clip->y0 ? clip->y0 - y : 0;
    part->bottom = y + height > clip->y1 ? clip->y1 - y : height;
    if (part->right <= part->left || part->bottom <= part->top) return false;
    x += part->left;
    y += part->top;
    part->to = canvas->pixels + (size_t)y * (size_t)canvas->width + (size_t)x;
    part->mask = NULL;
    part->mask_stride = 0;
    if (canvas->mask) {
        part->mask_stride = cairo_image_surface_get_stride(canvas->mask);
        part->mask = cairo_image_surface_get_data(canvas->mask) + (ptrdiff_t)y * part->mask_stride + x;
    }
    return true;
}

static void part_step(Part *part, const Canvas *canvas) {
    part->to += canvas->width;
    if (part->mask) part->mask += part->mask_stride;
}

void stamp_put(const Stamp *stamp, Canvas *canvas, const IntBox *clip, int x, int y, const Colour *colour) {
    Part part;
    uint32_t pixel = pixel_of(colour);
    if (!part_of(canvas, clip, x + stamp->x0, y + stamp->y0, stamp->width, stamp->height, &part)) return;
    for (int row = part.top; row < part.bottom; row++, part_step(&part, canvas))
        put_row(part.to, stamp->cover + (ptrdiff_t)row * stamp->stride + part.left, part.mask,
                part.right - part.left, pixel);
}

// --- Prints --------------------------------------------------------------------------------------

enum { PRINT_STEP = 4 }; // 16 bytes, the SIMD vector size that every machine has

static void print_box(Print *print, const Stamp *stamps, int count) {
    int x1 = INT_MIN, y1 = INT_MIN;
    print->x0 = print->y0 = INT_MAX;
    for (int i = 0; i < count; i++) {
        const Stamp *s = &stamps[i];
        if (!s->cover) continue;
        if (s->x0 < print->x0) print->x0 = s->x0;
        if (s->y0 < print->y0) print->y0 = s->y0;
        if (s->x0 + s->width > x1) x1 = s->x0 + s->width;
        if (s->y0 + s->height > y1) y1 = s->y0 + s->height;
    }
    if (x1 == INT_MIN) x1 = y1 = print->x0 = print->y0 = 0;
    print->width = x1 - print->x0;
    print->height = y1 - print->y0;
    print->stride = (print->width + PRINT_STEP - 1) / PRINT_STEP * PRINT_STEP;
}

bool print_make(Print *print, Mem *mem, const Stamp *stamps, const Colour *colours, int count) {
    *print = (Print){0};
    print_box(print, stamps, count);
    size_t pixels = (size_t)print->stride * (size_t)print->height;
    if (pixels == 0) return true;
    print->size = pixels * sizeof *print->over;
    print->over = mem_zalloc(mem, print->size);
    print->under = mem_alloc(mem, print->size);
    if (!print->over || !print->under) {
        print_free(print, mem);
        return false;
    }
    for (int i = 0; i < count; i++) {
        const Stamp *s = &stamps[i];
        for (int row = 0; s->cover && row < s->height; row++)
            put_row(print->over + (ptrdiff_t)(row + s->y0 - print->y0) * print->stride + s->x0 - print->x0,
                    s->cover + (ptrdiff_t)row * s->stride, NULL, s->width, pixel_of(&colours[i]));
    }
    for (size_t i = 0; i < pixels; i++) print->under[i] = (255 - (print->over[i] >> 24)) * 0x01010101u;
    return true;
}

void print_free(Print *print, Mem *mem) {
    mem_free(mem, print->over, print->size);
    mem_free(mem, print->under, print->size);
    *print = (Print){0};
}

// Blends a row in steps of one SIMD vector; rounds as `scaled` does.
static void print_row(uint32_t *pixels, const uint32_t *over, const uint32_t *under, int steps) {
    unsigned char *to = (unsigned char *)pixels;
    const unsigned char *add = (const unsigned char *)over, *keep = (const unsigned char *)under;
    for (int step = 0; step < steps; step++, to += 16, add += 16, keep += 16) {
#pragma omp simd
        for (int i = 0; i < 16; i++) {
            uint16_t part = (uint16_t)(to[i] * keep[i] + 128);
            part = (uint16_t)(part + (part >> 8));
            to[i] = (unsigned char)(add[i] + (part >> 8));
        }
    }
}

static void print_row_within(uint32_t *to, const uint32_t *over, const unsigned char *mask, int count) {
    for (int i = 0; i < count; i++) {
        uint32_t add = mask ? scaled(over[i], mask[i]) : over[i];
        to[i] = add + scaled(to[i], 255 - (add >> 24));
    }
}

void print_put(const Print *print, Canvas *canvas, const IntBox *clip, int x, int y) {
    Part part;
    if (!part_of(canvas, clip, x + print->x0, y + print->y0, print->stride, print->height, &part)) return;
    bool whole = part.right - part.left == print->stride && !part.mask;
    for (int row = part.top; row < part.bottom; row++, part_step(&part, canvas)) {
        ptrdiff_t at = (ptrdiff_t)row * print->stride + part.left;
        if (whole) print_row(part.to, print->over + at, print->under + at, print->stride / PRINT_STEP);
        else print_row_within(part.to, print->over + at, part.mask, part.right - part.left);
    }
}
