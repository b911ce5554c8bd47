// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Paths that reach far beyond the picture. Cairo's coordinates have 24 integer bits, and larger numbers wrap around. So
// the parts beyond reach, which are invisible, are cut off first.

#include "stdlib/pictures/canvas.h"

#include <math.h>

static const double REACH = 1 << 17; // pixels; pictures have less than 2^15

bool path_is_far(const Path *path) {
    double box[4];
    return path_box(path, box) && !(box[0] > -REACH && box[1] > -REACH && box[2] < REACH && box[3] < REACH);
}

// --- Flattening of curves --------------------------------------------------------------------------

// Returns into how many lines to flatten a curve for an error below 0.05 pixels. The error of a chord is at most the
// second derivative / (8 n²) for n lines.
static int pieces(Point from, const Point p[3]) {
    double x = fmax(fabs(from.x - 2 * p[0].x + p[1].x), fabs(p[0].x - 2 * p[1].x + p[2].x));
    double y = fmax(fabs(from.y - 2 * p[0].y + p[1].y), fabs(p[0].y - 2 * p[1].y + p[2].y));
    double n = ceil(sqrt(6 * hypot(x, y) / 8 / 0.05));
    return n < 1 ? 1 : n > 10000 ? 10000 : (int)n;
}

static void flatten_curve(Path *out, Point from, const Point p[3]) {
    int count = pieces(from, p);
    for (int i = 1; i <= count; i++) {
        double t = (double)i / count, s = 1 - t;
        double k0 = s * s * s, k1 = 3 * s * s * t, k2 = 3 * s * t * t, k3 = t * t * t;
        path_line(out, k0 * from.x + k1 * p[0].x + k2 * p[1].x + k3 * p[2].x,
                  k0 * from.y + k1 * p[0].y + k2 * p[1].y + k3 * p[2].y);
    }
}

static void flatten(const Path *path, Path *out) {
    const Point *p = path->points;
    Point at = {0, 0}, start = {0, 0};
    for (size_t i = 0; i < path->op_count; i++)
        switch (path->ops[i]) {
        case PATH_MOVE: path_move(out, p->x, p->y), start = at = *p++; break;
        case PATH_LINE: path_line(out, p->x, p->y), at = *p++; break;
        case PATH_CURVE: flatten_curve(out, at, p), at = p[2], p += 3; break;
        default: path_close(out), at = start;
        }
}

// --- Lines ---------------------------------------------------------------------------------------

// Clips a segment to one side of the reach: narrows the range [from, to] of its parameter that is left. False: nothing
// is left.
static bool cut(double at, double step, double *from, double *to) {
    // at + t * step <= REACH
    if (step == 0) return at <= REACH;
    double t = (REACH - at) / step;
    if (step > 0) *to = fmin(*to, t);
    else *from = fmax(*from, t);
    return *from < *to;
}

static void add_segment(Path *out, Point a, Point b, Point *at) {
    double dx = b.x - a.x, dy = b.y - a.y, from = 0, to = 1;
    if (!cut(a.x, dx, &from, &to) || !cut(-a.x, -dx, &from, &to) || !cut(a.y, dy, &from, &to) ||
        !cut(-a.y, -dy, &from, &to))
        return;
    Point begin = from > 0 ? (Point){a.x + from * dx, a.y + from * dy} : a;
    Point end = to < 1 ? (Point){a.x + to * dx, a.y + to * dy} : b;
    if (begin.x != at->x || begin.y != at->y) path_move(out, begin.x, begin.y);
    path_line(out, end.x, end.y);
    *at = end;
}

void path_near_line(const Path *path, Path *out) {
    Path flat;
    path_init(&flat, path->mem);
    flatten(path, &flat);
    const Point *p = flat.points;
    Point start = {0, 0}, at = start, put = {NAN, NAN}; // put: the current point of `out`
    for (size_t i = 0; i < flat.op_count; i++) {
        if (flat.ops[i] == PATH_MOVE) {
            start = at = *p++;
            put = (Point){NAN, NAN};
            continue;
        }
        Point to = flat.ops[i] == PATH_LINE ? *p++ : start;
        add_segment(out, at, to, &put);
        at = to;
    }
    if (flat.failed) out->failed = true;
    path_free(&flat);
}

// --- Areas ---------------------------------------------------------------------------------------

// A side of the square within reach: the points with side.x * p.x + side.y * p.y <= REACH.
typedef struct Side {
    double x, y;
} Side;

static double beyond(Side side, Point p) {
    return side.x * p.x + side.y * p.y - REACH;
}

// Clips a closed polygon to one side of a line, by Sutherland and Hodgman. Parts that are separated stay connected by
// lines along the cut, which enclose no area.
static void cut_polygon(Path *out, const Point *points, size_t count, Side side) {
    size_t first = out->point_count;
    for (size_t i = 0; i < count; i++) {
        Point a = points[i], b = points[i + 1 < count ? i + 1 : 0];
        double from = beyond(side, a), to = beyond(side, b);
        if (from <= 0) path_line(out, a.x, a.y);
        if ((from <= 0) != (to <= 0)) {
            double t = from / (from - to);
            path_line(out, a.x + t * (b.x - a.x), a.y + t * (b.y - a.y));
        }
    }
    if (out->failed || out->point_count == first) return;
    out->ops[out->op_count - (out->point_count - first)] = PATH_MOVE;
    path_close(out);
}

static void cut_area(const Path *flat, Path *out, Side side) {
    const Point *points = flat->points;
    for (size_t i = 0; i < flat->op_count;) {
        size_t count = 0;
        if (flat->ops[i] == PATH_MOVE) count++, i++;
        while (i < flat->op_count && flat->ops[i] == PATH_LINE) count++, i++;
        if (i < flat->op_count && flat->ops[i] == PATH_CLOSE) i++;
        cut_polygon(out, points, count, side);
        points += count;
    }
}

void path_near_area(const Path *path, Path *out) {
    static const Side sides[4] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
    Path now, next;
    path_init(&now, path->mem);
    path_init(&next, path->mem);
    flatten(path, &now);
    for (int i = 0; i < 4; i++) {
        Path swap = next;
        path_clear(&swap);
        cut_area(&now, &swap, sides[i]);
        if (now.failed) swap.failed = true;
        next = now;
        now = swap;
    }
    path_append(out, &now, 0, 0);
    if (now.failed) out->failed = true;
    path_free(&now);
    path_free(&next);
}
