// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Filling with exact coverage: each edge adds what it covers of each pixel, with its sign, to the cells it crosses,
// and the sums along a row are the winding numbers' areas (the method of FreeType's and Agg's rasters, with cells
// in an array as in font-rs).

#include "stdlib/pictures/canvas.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static size_t cover_size(const Raster *r) {
    return (size_t)(r->width + 2) * (size_t)r->height * sizeof(float);
}

bool raster_init(Raster *r, Mem *mem, int width, int height) {
    *r = (Raster){.mem = mem, .width = width, .height = height};
    r->rgba = mem_alloc(mem, (size_t)width * (size_t)height * 4);
    r->cover = mem_zalloc(mem, cover_size(r));
    r->first = mem_alloc(mem, (size_t)height * sizeof(int));
    r->last = mem_alloc(mem, (size_t)height * sizeof(int));
    if (!r->rgba || !r->cover || !r->first || !r->last) {
        raster_free(r);
        return false;
    }
    for (size_t i = 0; i < (size_t)width * (size_t)height; i++) memcpy(r->rgba + 4 * i, "\xff\xff\xff", 4); // clear white
    return true;
}

void raster_unmask(Raster *r) {
    mem_free(r->mem, r->mask, (size_t)r->width * (size_t)r->height);
    r->mask = NULL;
}

void raster_free(Raster *r) {
    size_t rows = (size_t)r->height * sizeof(int);
    mem_free(r->mem, r->rgba, (size_t)r->width * (size_t)r->height * 4);
    mem_free(r->mem, r->cover, cover_size(r));
    mem_free(r->mem, r->first, rows);
    mem_free(r->mem, r->last, rows);
    raster_unmask(r);
    r->rgba = NULL;
    r->cover = NULL;
    r->first = r->last = NULL;
}

// --- Coverage ------------------------------------------------------------------------------------

// Cells of a window of the picture: those of column x and row y at cells[(y - y0) * stride + x - x0].
typedef struct Cells {
    float *cells;
    int *first, *last; // per row of the window
    int stride;
    IntBox box;
} Cells;

static inline void touch(Cells *c, int row, int from, int to) {
    if (from < c->first[row]) c->first[row] = from;
    if (to > c->last[row]) c->last[row] = to;
}

// An edge within one row of pixels, from x = a to x = b while y goes by `dy` (with its sign).
static void add_in_row(Cells *c, int row, double a, double b, double dy) {
    double left = fmin(a, b), right = fmax(a, b);
    float *cells = c->cells + (ptrdiff_t)row * c->stride;
    int width = c->box.x1 - c->box.x0;
    if (left >= width) return; // right of the window: covers nothing in it
    if (right <= 0) {          // left of it: covers all of the row
        cells[0] += (float)dy;
        touch(c, row, 0, 0);
        return;
    }
    if (left < 0 || right > width) { // cut at the sides
        double t = dy / (right - left);
        if (left < 0) cells[0] += (float)(t * -left), touch(c, row, 0, 0), dy += t * left, left = 0;
        if (right > width) dy -= t * (right - width), right = width;
    }
    int from = (int)left, to = (int)ceil(right);
    if (to <= from + 1) {
        double middle = (left + right) / 2 - from;
        cells[from] += (float)(dy * (1 - middle));
        cells[from + 1] += (float)(dy * middle);
        touch(c, row, from, from + 1);
        return;
    }
    double slope = dy / (right - left), head = from + 1 - left, tail = right - (to - 1);
    double before = 0.5 * slope * head * head;
    cells[from] += (float)before;
    double sum = before; // handed out so far
    double inside = slope * (head + 0.5);
    for (int x = from + 1; x < to - 1; x++) {
        cells[x] += (float)(inside - sum);
        sum = inside;
        inside += slope;
    }
    double last = dy - 0.5 * slope * tail * tail; // area in the last pixel
    cells[to - 1] += (float)(last - sum);
    cells[to] += (float)(dy - last);
    touch(c, row, from, to);
}

static void add_edge(Cells *c, Point a, Point b) {
    double sign = 1;
    if (a.y == b.y) return;
    if (a.y > b.y) {
        Point swap = a;
        a = b, b = swap, sign = -1;
    }
    int height = c->box.y1 - c->box.y0;
    double ax = a.x - c->box.x0, bx = b.x - c->box.x0, ay = a.y - c->box.y0, by = b.y - c->box.y0;
    if (by <= 0 || ay >= height) return;
    double slope = (bx - ax) / (by - ay), x = ax, y = ay;
    if (y < 0) x -= slope * y, y = 0;
    double end = fmin(by, height);
    for (int row = (int)y; row < height && y < end; row++) {
        double next = fmin(row + 1, end);
        double to = next == by ? bx : ax + slope * (next - ay);
        add_in_row(c, row, x, to, sign * (next - y));
        x = to;
        y = next;
    }
}

static void add_path(Cells *c, const Path *flat) {
    const Point *p = flat->points;
    Point start = {0, 0}, at = start;
    bool open = false;
    for (size_t i = 0; i < flat->op_count; i++) {
        if (flat->ops[i] == PATH_LINE) {
            add_edge(c, at, *p);
            at = *p++;
        } else {
            if (open) add_edge(c, at, start);
            if (flat->ops[i] == PATH_MOVE) start = *p++;
            at = start;
        }
        open = true;
    }
    if (open) add_edge(c, at, start);
}

// The pixels that a path may touch, within a box.
static bool window(const Path *flat, IntBox clip, IntBox *out) {
    double box[4];
    if (!path_box(flat, box)) return false;
    if (!(box[0] < clip.x1 && box[2] > clip.x0 && box[1] < clip.y1 && box[3] > clip.y0)) return false;
    out->x0 = box[0] > clip.x0 ? (int)floor(box[0]) : clip.x0;
    out->y0 = box[1] > clip.y0 ? (int)floor(box[1]) : clip.y0;
    out->x1 = box[2] < clip.x1 ? (int)ceil(box[2]) : clip.x1;
    out->y1 = box[3] < clip.y1 ? (int)ceil(box[3]) : clip.y1;
    return out->x1 > out->x0 && out->y1 > out->y0;
}

static void untouch(Cells *c) {
    for (int row = 0; row < c->box.y1 - c->box.y0; row++) {
        c->first[row] = INT_MAX;
        c->last[row] = -1;
    }
}

static unsigned covered(float sum, bool smooth) {
    float area = sum < 0 ? -sum : sum;
    if (!smooth) return area >= 0.5f ? 255 : 0;
    return area >= 1 ? 255 : (unsigned)(area * 255 + 0.5f);
}

// --- Blending ------------------------------------------------------------------------------------

static inline unsigned char mix(unsigned from, unsigned to, unsigned alpha) {
    int t = ((int)to - (int)from) * (int)alpha + 128 - (from > to);
    return (unsigned char)((int)from + ((t + (t >> 8)) >> 8));
}

static void blend(unsigned char *pixel, const unsigned char rgb[3], unsigned alpha) {
    if (alpha == 0) return;
    if (pixel[3] == 255 || alpha == 255) {
        for (int k = 0; k < 3; k++) pixel[k] = alpha == 255 ? rgb[k] : mix(pixel[k], rgb[k], alpha);
        pixel[3] = 255;
        return;
    }
    double a = alpha / 255.0, under = pixel[3] / 255.0 * (1 - a), sum = a + under;
    for (int k = 0; k < 3; k++) pixel[k] = (unsigned char)((rgb[k] * a + pixel[k] * under) / sum + 0.5);
    pixel[3] = (unsigned char)(sum * 255 + 0.5);
}

void raster_blend(Raster *r, int x, int y, const unsigned char rgb[3], unsigned alpha) {
    size_t at = (size_t)y * (size_t)r->width + (size_t)x;
    if (r->mask) alpha = (alpha * r->mask[at] + 127) / 255;
    blend(r->rgba + at * 4, rgb, alpha);
}

static unsigned char as_byte(double x) {
    return x <= 0 ? 0 : x >= 1 ? 255 : (unsigned char)(x * 255 + 0.5);
}

static void colour_bytes(const Colour *c, unsigned char rgba[4]) {
    rgba[0] = as_byte(c->r);
    rgba[1] = as_byte(c->g);
    rgba[2] = as_byte(c->b);
    rgba[3] = as_byte(c->a);
}

// Puts a colour that hides what is below on pixels from x on, as long as nothing changes there; one behind the last.
static int fill_run(Raster *r, const Cells *c, int row, int x, int end, const unsigned char rgba[4]) {
    const float *cells = c->cells + (ptrdiff_t)row * c->stride;
    unsigned char *to = r->rgba + ((size_t)(c->box.y0 + row) * (size_t)r->width + (size_t)(c->box.x0 + x)) * 4;
    do {
        memcpy(to, rgba, 4);
        to += 4;
        x++;
    } while (x < end && cells[x] == 0);
    return x;
}

static void blend_row(Raster *r, const Cells *c, int row, const unsigned char rgba[4], bool smooth) {
    float *cells = c->cells + (ptrdiff_t)row * c->stride;
    int width = c->box.x1 - c->box.x0, last = c->last[row] < width - 1 ? c->last[row] : width - 1;
    bool hides = rgba[3] == 255 && !r->mask;
    float sum = 0;
    for (int x = c->first[row]; x < width;) {
        if (x > last && covered(sum, smooth) == 0) break; // nothing changes any more
        sum += cells[x];
        unsigned cover = covered(sum, smooth);
        if (cover == 255 && hides) {
            x = fill_run(r, c, row, x, width, rgba);
            continue;
        }
        unsigned alpha = cover == 255 ? rgba[3] : (rgba[3] * (cover + 1)) >> 8;
        if (cover) raster_blend(r, c->box.x0 + x, c->box.y0 + row, rgba, alpha);
        x++;
    }
}

static Cells cells_of(Raster *r, IntBox box) {
    Cells c = {.cells = r->cover, .first = r->first, .last = r->last, .stride = box.x1 - box.x0 + 2, .box = box};
    untouch(&c);
    return c;
}

static void cells_clear(Cells *c, int row) {
    int from = c->first[row], to = c->last[row];
    if (to >= from) memset(c->cells + (ptrdiff_t)row * c->stride + from, 0, (size_t)(to - from + 1) * sizeof(float));
}

static IntBox within_picture(const Raster *r, IntBox box) {
    if (box.x0 < 0) box.x0 = 0;
    if (box.y0 < 0) box.y0 = 0;
    if (box.x1 > r->width) box.x1 = r->width;
    if (box.y1 > r->height) box.y1 = r->height;
    return box;
}

void raster_fill(Raster *r, const Path *flat, IntBox clip, Colour colour, bool smooth) {
    unsigned char rgba[4];
    IntBox box;
    colour_bytes(&colour, rgba);
    if (rgba[3] == 0 || !window(flat, within_picture(r, clip), &box)) return;
    Cells c = cells_of(r, box);
    add_path(&c, flat);
    for (int row = 0; row < box.y1 - box.y0; row++) {
        if (c.last[row] >= 0) blend_row(r, &c, row, rgba, smooth);
        cells_clear(&c, row);
    }
}

void raster_mask(Raster *r, const Path *flat) {
    size_t size = (size_t)r->width * (size_t)r->height;
    IntBox box;
    raster_unmask(r);
    r->mask = mem_zalloc(r->mem, size);
    if (!r->mask || !window(flat, (IntBox){0, 0, r->width, r->height}, &box)) return;
    Cells c = cells_of(r, box);
    add_path(&c, flat);
    for (int row = 0; row < box.y1 - box.y0; row++) {
        float sum = 0;
        unsigned char *to = r->mask + (size_t)(box.y0 + row) * (size_t)r->width + box.x0;
        for (int x = 0; x < box.x1 - box.x0; x++) {
            sum += c.cells[(ptrdiff_t)row * c.stride + x];
            to[x] = (unsigned char)covered(sum, true);
        }
        cells_clear(&c, row);
    }
}

// --- Stamps --------------------------------------------------------------------------------------

bool stamp_make(Stamp *stamp, Mem *mem, const Path *flat) {
    enum { SIDE_MOST = 4096 };
    double box[4];
    Raster r;
    *stamp = (Stamp){0};
    if (!path_box(flat, box)) return true;
    for (int i = 0; i < 4; i++)
        if (!(fabs(box[i]) < SIDE_MOST)) return true;
    stamp->x0 = (int)floor(box[0]);
    stamp->y0 = (int)floor(box[1]);
    stamp->width = (int)ceil(box[2]) - stamp->x0 + 1;
    stamp->height = (int)ceil(box[3]) - stamp->y0 + 1;
    stamp->size = (size_t)stamp->width * (size_t)stamp->height;
    // Cells of a window that begins at the stamp's corner.
    r = (Raster){.mem = mem, .width = stamp->width, .height = stamp->height};
    stamp->cover = mem_alloc(mem, stamp->size);
    r.cover = mem_zalloc(mem, cover_size(&r));
    r.first = mem_alloc(mem, (size_t)r.height * sizeof(int));
    r.last = mem_alloc(mem, (size_t)r.height * sizeof(int));
    bool ok = stamp->cover && r.cover && r.first && r.last;
    if (ok) {
        Cells c = cells_of(&r, (IntBox){stamp->x0, stamp->y0, stamp->x0 + stamp->width, stamp->y0 + stamp->height});
        add_path(&c, flat);
        for (int row = 0; row < stamp->height; row++) {
            float sum = 0;
            for (int x = 0; x < stamp->width; x++) {
                sum += c.cells[(ptrdiff_t)row * c.stride + x];
                stamp->cover[row * stamp->width + x] = (unsigned char)covered(sum, true);
            }
        }
    }
    mem_free(mem, r.cover, cover_size(&r));
    mem_free(mem, r.first, (size_t)r.height * sizeof(int));
    mem_free(mem, r.last, (size_t)r.height * sizeof(int));
    if (!ok) stamp_free(stamp, mem);
    return ok;
}

void stamp_free(Stamp *stamp, Mem *mem) {
    mem_free(mem, stamp->cover, stamp->size);
    *stamp = (Stamp){0};
}

void stamp_put(const Stamp *stamp, Raster *r, IntBox clip, int x, int y, const Colour *colour) {
    unsigned char rgba[4];
    colour_bytes(colour, rgba);
    IntBox box = within_picture(r, clip);
    x += stamp->x0;
    y += stamp->y0;
    int left = x < box.x0 ? box.x0 - x : 0, right = x + stamp->width > box.x1 ? box.x1 - x : stamp->width;
    int top = y < box.y0 ? box.y0 - y : 0, bottom = y + stamp->height > box.y1 ? box.y1 - y : stamp->height;
    for (int row = top; row < bottom; row++) {
        const unsigned char *cover = stamp->cover + row * stamp->width;
        for (int i = left; i < right; i++) {
            if (!cover[i]) continue;
            unsigned alpha = cover[i] == 255 ? rgba[3] : (rgba[3] * (cover[i] + 1u)) >> 8;
            raster_blend(r, x + i, y + row, rgba, alpha);
        }
    }
}
