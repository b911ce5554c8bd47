// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Images, resampled here. A filter is a weight by distance; columns and then rows are summed with it. When an image
// shrinks, the filter is widened, as in matplotlib. (Cairo has neither these filters nor sources of more than 2^15
// pixels a side.)

#include "stdlib/pictures/canvas.h"

#include <math.h>
#include <string.h>

typedef struct Kernel {
    double radius;
    double (*weight)(double x); // x >= 0
} Kernel;

static double weigh_bilinear(double x) {
    return x < 1 ? 1 - x : 0;
}

static double cube(double x) {
    return x > 0 ? x * x * x : 0;
}

static double weigh_bicubic(double x) { // a cubic B-spline
    return (cube(x + 2) - 4 * cube(x + 1) + 6 * cube(x) - 4 * cube(x - 1)) / 6;
}

static double weigh_hanning(double x) {
    return x < 1 ? 0.5 + 0.5 * cos(M_PI * x) : 0;
}

static const Kernel kernels[FILTER_COUNT] = {
    [FILTER_BILINEAR] = {1, weigh_bilinear},
    [FILTER_BICUBIC] = {2, weigh_bicubic},
    [FILTER_HANNING] = {1, weigh_hanning},
};

// For each pixel of an output row (or column): the first input pixel, and the weights of `most` input pixels from there
// on.
typedef struct Taps {
    int *from;
    float *weights; // `most` for each output pixel
    int count, most;
} Taps;

static void taps_free(Taps *taps, Mem *mem) {
    mem_free(mem, taps->from, (size_t)taps->count * sizeof(int));
    mem_free(mem, taps->weights, (size_t)taps->count * (size_t)taps->most * sizeof(float));
}

static void taps_of(const Kernel *kernel, double at, double scale, int *from, int most, float *weights) {
    double reach = kernel->radius * scale, sum = 0;
    int first = (int)ceil(at - reach - 0.5);
    *from = first;
    for (int k = 0; k < most; k++) {
        double w = kernel->weight(fabs(first + k + 0.5 - at) / scale);
        weights[k] = (float)w;
        sum += w;
    }
    for (int k = 0; k < most && sum != 0; k++) weights[k] /= (float)sum;
}

// Makes the taps of `count` output pixels. The centre of output pixel begin + i is at (begin + i + 0.5 - low) / (high -
// low) * size in the input. False: out of memory.
static bool taps_make(Taps *taps, Mem *mem, Filter filter, int begin, int count, double low, double high, int size) {
    double step = size / (high - low), scale = fmax(1, fabs(step));
    taps->count = count;
    taps->most = filter == FILTER_NEAREST ? 1 : (int)ceil(2 * kernels[filter].radius * scale) + 1;
    taps->from = mem_alloc(mem, (size_t)count * sizeof(int));
    taps->weights = mem_alloc(mem, (size_t)count * (size_t)taps->most * sizeof(float));
    if (!taps->from || !taps->weights) return false;
    for (int i = 0; i < count; i++) {
        double at = (begin + i + 0.5 - low) * step;
        if (filter == FILTER_NEAREST) {
            taps->from[i] = (int)floor(at);
            taps->weights[i] = 1;
        } else {
            taps_of(&kernels[filter], at, scale, &taps->from[i], taps->most, taps->weights + i * taps->most);
        }
    }
    return true;
}

static int clamp(int x, int size) {
    return x < 0 ? 0 : x >= size ? size - 1 : x;
}

// Filters one input row along x. The result has premultiplied alpha.
static void filter_row(const Picture *from, int row, const Taps *columns, float *out) {
    const unsigned char *pixels = from->rgba + (size_t)row * (size_t)from->width * 4;
    for (int i = 0; i < columns->count; i++, out += 4) {
        const float *weights = columns->weights + (size_t)i * (size_t)columns->most;
        out[0] = out[1] = out[2] = out[3] = 0;
        for (int k = 0; k < columns->most; k++) {
            const unsigned char *p = pixels + 4 * clamp(columns->from[i] + k, from->width);
            float alpha = weights[k] * p[3];
            for (int c = 0; c < 3; c++) out[c] += alpha * p[c];
            out[3] += alpha;
        }
    }
}

static unsigned char byte_of(float x) {
    return x <= 0 ? 0 : x >= 255 ? 255 : (unsigned char)(x + 0.5f);
}

static void sum_rows(const float *filtered, size_t stride, const Picture *from, const Taps *rows, int row, int width,
                     unsigned char *out) {
    for (int i = 0; i < width; i++, out += 4) {
        float sum[4] = {0, 0, 0, 0};
        for (int k = 0; k < rows->most; k++) {
            float weight = rows->weights[row * rows->most + k];
            const float *p = filtered + (size_t)clamp(rows->from[row] + k, from->height) * stride + (size_t)i * 4;
            for (int c = 0; c < 4; c++) sum[c] += weight * p[c];
        }
        for (int c = 0; c < 3; c++) out[c] = sum[3] > 0 ? byte_of(sum[c] / sum[3]) : 0;
        out[3] = byte_of(sum[3]);
    }
}

static void pick(const Picture *from, const Taps *columns, const Taps *rows, unsigned char *out) {
    for (int y = 0; y < rows->count; y++) {
        const unsigned char *pixels = from->rgba + (size_t)clamp(rows->from[y], from->height) * (size_t)from->width * 4;
        for (int x = 0; x < columns->count; x++, out += 4)
            memcpy(out, pixels + 4 * clamp(columns->from[x], from->width), 4);
    }
}

// Resamples the picture, which fills `box`, at the pixels of `to`. False: out of memory.
static bool resample(Mem *mem, const Picture *from, const double box[4], Filter filter, const IntBox *to,
                     unsigned char *rgba) {
    Taps columns = {0}, rows = {0};
    int width = to->x1 - to->x0, height = to->y1 - to->y0;
    size_t stride = (size_t)width * 4, size = stride * (size_t)from->height * sizeof(float);
    float *filtered = NULL;
    bool ok = taps_make(&columns, mem, filter, to->x0, width, box[0], box[2], from->width) &&
              taps_make(&rows, mem, filter, to->y0, height, box[1], box[3], from->height);
    if (ok && filter == FILTER_NEAREST) {
        pick(from, &columns, &rows, rgba);
    } else if (ok) {
        filtered = mem_alloc(mem, size);
        ok = filtered != NULL;
        for (int y = 0; ok && y < from->height; y++) filter_row(from, y, &columns, filtered + (size_t)y * stride);
        for (int y = 0; ok && y < height; y++)
            sum_rows(filtered, stride, from, &rows, y, width, rgba + (size_t)y * stride);
        mem_free(mem, filtered, size);
    }
    taps_free(&columns, mem);
    taps_free(&rows, mem);
    return ok;
}

// --- On a canvas ---------------------------------------------------------------------------------

// Converts a row to Cairo's pixels: ARGB32 with premultiplied alpha.
static void multiply_row(const unsigned char *rgba, int width, double opacity, unsigned char *out) {
    for (int i = 0; i < width; i++, rgba += 4) {
        uint32_t alpha = (uint32_t)(rgba[3] * opacity + 0.5), pixel = alpha << 24;
        for (int k = 0; k < 3; k++) pixel |= (rgba[k] * alpha + 127) / 255 << (16 - 8 * k);
        memcpy(out + 4 * i, &pixel, sizeof pixel);
    }
}

static void put_picture(Canvas *canvas, const Picture *picture, const double box[4], const double clip[4],
                        double alpha) {
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, picture->width, picture->height);
    unsigned char *to = cairo_image_surface_get_data(surface);
    if (to) {
        int stride = cairo_image_surface_get_stride(surface);
        for (int y = 0; y < picture->height; y++)
            multiply_row(picture->rgba + (size_t)y * (size_t)picture->width * 4, picture->width, alpha,
                         to + (ptrdiff_t)y * stride);
        cairo_surface_mark_dirty(surface);
        canvas_put_surface(canvas, surface, box, clip);
    } else {
        canvas->failed = true;
    }
    cairo_surface_destroy(surface);
}

static void put_resampled(Canvas *canvas, const Picture *picture, const double from[4], Filter filter,
                          const IntBox *to, const double box[4], const double clip[4], double alpha) {
    size_t size = (size_t)(to->x1 - to->x0) * (size_t)(to->y1 - to->y0) * 4;
    unsigned char *rgba = mem_alloc(canvas->mem, size);
    if (rgba && resample(canvas->mem, picture, from, filter, to, rgba)) {
        Picture made = {rgba, to->x1 - to->x0, to->y1 - to->y0};
        put_picture(canvas, &made, box, clip, alpha);
    } else {
        canvas->failed = true;
    }
    mem_free(canvas->mem, rgba, size);
}

// Draws on the pixels of which the box covers more than half.
static void draw_pixels(Canvas *canvas, const Picture *picture, const double box[4], const double clip[4],
                        Filter filter, double alpha) {
    const double upright[4] = {fmin(box[0], box[2]), fmin(box[1], box[3]), fmax(box[0], box[2]), fmax(box[1], box[3])};
    IntBox seen = canvas_pixels_in(canvas, clip), to = canvas_pixels_in(canvas, upright);
    if (to.x0 < seen.x0) to.x0 = seen.x0;
    if (to.y0 < seen.y0) to.y0 = seen.y0;
    if (to.x1 > seen.x1) to.x1 = seen.x1;
    if (to.y1 > seen.y1) to.y1 = seen.y1;
    if (to.x1 <= to.x0 || to.y1 <= to.y0) return;
    const double at[4] = {to.x0, to.y0, to.x1, to.y1};
    put_resampled(canvas, picture, box, filter, &to, at, clip, alpha);
}

static int scaled_side(double side) {
    enum { DENSITY = 4, SIDE_MOST = 1 << 14 }; // DENSITY: pixels in a point
    return (int)fmin(fmax(ceil(fabs(side) * DENSITY), 1), SIDE_MOST);
}

// Embeds the picture unchanged where viewers scale it as the filter demands: they do not smooth the pixels of a PDF,
// and the smoothing of very small pixels is invisible. Otherwise resamples it to such small pixels.
static void draw_vector(Canvas *canvas, const Picture *picture, const double box[4], const double clip[4],
                        Filter filter, double alpha) {
    int width = scaled_side(box[2] - box[0]), height = scaled_side(box[3] - box[1]);
    bool small = picture->width >= width && picture->height >= height;
    bool fits = picture->width < 1 << 15 && picture->height < 1 << 15; // Cairo's limit
    if (fits && (small || (canvas->kind == CANVAS_PDF && filter == FILTER_NEAREST))) {
        put_picture(canvas, picture, box, clip, alpha);
        return;
    }
    const IntBox to = {0, 0, width, height};
    const double all[4] = {0, 0, width, height};
    put_resampled(canvas, picture, all, filter, &to, box, clip, alpha);
}

void canvas_picture(Canvas *canvas, const Picture *picture, const double box[4], const double clip[4], Filter filter,
                    double alpha) {
    alpha = fmin(fmax(alpha, 0), 1);
    if (canvas->kind == CANVAS_PNG) draw_pixels(canvas, picture, box, clip, filter, alpha);
    else draw_vector(canvas, picture, box, clip, filter, alpha);
}
