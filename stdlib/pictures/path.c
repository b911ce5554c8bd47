// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Makes paths from a script's vertices by a transform, with gaps at vertices that are not finite. Paths along the axes
// are snapped to pixels. Paths with more vertices than pixels can show are thinned out.

#include "stdlib/pictures/canvas.h"

#include <math.h>
#include <string.h>

void path_init(Path *path, Mem *mem) {
    *path = (Path){.mem = mem};
}

void path_free(Path *path) {
    mem_free(path->mem, path->ops, path->op_cap);
    mem_free(path->mem, path->points, path->point_cap * sizeof(Point));
    path_init(path, path->mem);
}

void path_clear(Path *path) {
    path->op_count = path->point_count = 0;
}

static bool path_room(Path *path, size_t points) {
    if (path->failed) return false;
    if (!mem_grow(path->mem, (void **)&path->ops, &path->op_cap, path->op_count + 1, 1) ||
        !mem_grow(path->mem, (void **)&path->points, &path->point_cap, path->point_count + points, sizeof(Point)))
        path->failed = true;
    return !path->failed;
}

void path_move(Path *path, double x, double y) {
    if (!path_room(path, 1)) return;
    path->ops[path->op_count++] = PATH_MOVE;
    path->points[path->point_count++] = (Point){x, y};
}

void path_line(Path *path, double x, double y) {
    if (!path_room(path, 1)) return;
    path->ops[path->op_count++] = PATH_LINE;
    path->points[path->point_count++] = (Point){x, y};
}

void path_curve(Path *path, Point a, Point b, Point c) {
    if (!path_room(path, 3)) return;
    path->ops[path->op_count++] = PATH_CURVE;
    path->points[path->point_count++] = a;
    path->points[path->point_count++] = b;
    path->points[path->point_count++] = c;
}

static Point between(Point a, Point b, double t) {
    return (Point){a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)};
}

void path_quadratic(Path *path, Point from, Point a, Point b) {
    path_curve(path, between(from, a, 2.0 / 3), between(b, a, 2.0 / 3), b);
}

void path_close(Path *path) {
    if (path_room(path, 0)) path->ops[path->op_count++] = PATH_CLOSE;
}

void path_append(Path *to, const Path *from, double dx, double dy) {
    const Point *p = from->points;
    for (size_t i = 0; i < from->op_count; i++)
        switch (from->ops[i]) {
        case PATH_MOVE: path_move(to, p[0].x + dx, p[0].y + dy), p++; break;
        case PATH_LINE: path_line(to, p[0].x + dx, p[0].y + dy), p++; break;
        case PATH_CURVE:
            path_curve(to, (Point){p[0].x + dx, p[0].y + dy}, (Point){p[1].x + dx, p[1].y + dy},
                       (Point){p[2].x + dx, p[2].y + dy});
            p += 3;
            break;
        default: path_close(to);
        }
}

bool path_box(const Path *path, double box[4]) {
    box[0] = box[1] = INFINITY;
    box[2] = box[3] = -INFINITY;
    for (size_t i = 0; i < path->point_count; i++) {
        Point p = path->points[i];
        box[0] = fmin(box[0], p.x), box[1] = fmin(box[1], p.y);
        box[2] = fmax(box[2], p.x), box[3] = fmax(box[3], p.y);
    }
    return path->point_count > 0;
}

// --- Vertices ------------------------------------------------------------------------------------

enum { CODE_STOP = 0, CODE_MOVE = 1, CODE_LINE = 2, CODE_CURVE3 = 3, CODE_CURVE4 = 4, CODE_CLOSE = 79 };

static inline Point vertex(const Vertices *v, size_t i, const Affine *to) {
    return affine_apply(to, v->x[i * v->stride], v->y[i * v->stride]);
}

// Returns whether a point is finite, and near enough that slopes can be computed.
static inline bool is_finite(Point p) {
    static const double FARTHEST = 1e15;
    return fabs(p.x) < FARTHEST && fabs(p.y) < FARTHEST;
}

static int code_of(const Vertices *v, size_t i) {
    return v->codes ? (int)v->codes[i] : i ? CODE_LINE : CODE_MOVE;
}

// Returns whether all segments are parallel to the axes: such paths are snapped, to be drawn sharp.
static bool is_rectilinear(const Vertices *v, const Affine *to) {
    enum { MOST = 1024 };
    if (v->count > MOST || v->count < 2) return false;
    Point last = vertex(v, 0, to), start = last;
    for (size_t i = 1; i < v->count; i++) {
        int code = code_of(v, i);
        Point p = code == CODE_CLOSE ? start : vertex(v, i, to);
        if (code == CODE_CURVE3 || code == CODE_CURVE4) return false;
        if (code == CODE_MOVE) start = p;
        else if (fabs(last.x - p.x) >= 1e-4 && fabs(last.y - p.y) >= 1e-4) return false;
        last = p;
    }
    return true;
}

typedef struct Snapper {
    bool on;
    double shift;
} Snapper;

static Point snapped(const Snapper *s, Point p) {
    if (!s->on) return p;
    return (Point){floor(p.x + 0.5) + s->shift, floor(p.y + 0.5) + s->shift};
}

// --- Thinning out ---------------------------------------------------------------------------------

// Replaces each run of vertices near one line by the run's extreme points. The line has the direction of the run's
// first segment. The farthest points forward and backward along it are kept, so that peaks remain. `forward` and
// `backward` (<= 0) are their distances from the origin. `near2` is the square of the threshold.
typedef struct Thinner {
    Path *path;
    double near2;
    bool begun, running;
    Point origin, last; // start of the run; the previous vertex
    Point unit;         // direction of the run
    double forward, backward;
    Point ahead, behind; // the vertices at these extremes
    bool ahead_last;     // the extreme that was reached last is `ahead`
} Thinner;

static void thinner_flush(Thinner *t) {
    if (!t->running) return;
    bool back = t->backward < 0;
    if (back && t->ahead_last) path_line(t->path, t->behind.x, t->behind.y);
    path_line(t->path, t->ahead.x, t->ahead.y);
    if (back && !t->ahead_last) path_line(t->path, t->behind.x, t->behind.y);
    Point end = back && !t->ahead_last ? t->behind : t->ahead;
    if (end.x != t->last.x || end.y != t->last.y) path_line(t->path, t->last.x, t->last.y);
    t->running = false;
}

static void thinner_start(Thinner *t, Point p) {
    thinner_flush(t);
    path_move(t->path, p.x, p.y);
    t->last = p;
    t->begun = true;
}

static void thinner_run(Thinner *t, Point p) {
    double dx = p.x - t->last.x, dy = p.y - t->last.y, length = sqrt(dx * dx + dy * dy);
    if (length == 0) return;
    t->origin = t->last;
    t->unit = (Point){dx / length, dy / length};
    t->forward = length;
    t->backward = 0;
    t->ahead = p;
    t->ahead_last = true;
    t->running = true;
    t->last = p;
}

static void thinner_add(Thinner *t, Point p) {
    if (!t->running) {
        thinner_run(t, p);
        return;
    }
    double dx = p.x - t->origin.x, dy = p.y - t->origin.y;
    double along = dx * t->unit.x + dy * t->unit.y;
    double off = dx * t->unit.y - dy * t->unit.x;
    if (off * off >= t->near2) {
        thinner_flush(t);
        thinner_run(t, p);
        return;
    }
    if (along > t->forward) t->forward = along, t->ahead = p, t->ahead_last = true;
    if (along < t->backward) t->backward = along, t->behind = p, t->ahead_last = false;
    t->last = p;
}

// Returns whether a segment is entirely outside one side of the visible box.
static bool is_beyond(Point a, Point b, const double seen[4]) {
    return (a.x < seen[0] && b.x < seen[0]) || (a.x > seen[2] && b.x > seen[2]) || (a.y < seen[1] && b.y < seen[1]) ||
           (a.y > seen[3] && b.y > seen[3]);
}

static void shape_thinned(Path *path, const Vertices *v, const Shaping *how) {
    Thinner t = {.path = path, .near2 = how->threshold * how->threshold};
    bool gap = true; // the next visible segment begins with a move
    Point last = {NAN, NAN};
    for (size_t i = 0; i < v->count && !path->failed; i++) {
        Point p = vertex(v, i, &how->to);
        if (!is_finite(p)) {
            gap = true;
            last = p;
            continue;
        }
        bool first = !is_finite(last);
        if (!first && is_beyond(last, p, how->seen)) {
            gap = true;
        } else if (!first) {
            if (gap) thinner_start(&t, last);
            thinner_add(&t, p);
            gap = false;
        }
        last = p;
    }
    thinner_flush(&t);
}

// --- Shaping -------------------------------------------------------------------------------------

static size_t points_of(int code) {
    return code == CODE_CURVE4 ? 3 : code == CODE_CURVE3 ? 2 : 1;
}

// Adds the segment that begins at vertex i. If one of its vertices is not finite it is left out, and the next one is a
// move.
static void shape_step(Path *path, const Vertices *v, const Shaping *how, const Snapper *snapper, size_t i, int code,
                       Point *at) {
    Point p[3];
    size_t count = points_of(code);
    for (size_t k = 0; k < count; k++) p[k] = snapped(snapper, vertex(v, i + k, &how->to));
    for (size_t k = 0; k < count; k++)
        if (!is_finite(p[k])) {
            *at = (Point){NAN, NAN};
            return;
        }
    Point end = p[count - 1];
    if (code == CODE_MOVE || !is_finite(*at)) path_move(path, end.x, end.y);
    else if (code == CODE_CURVE4) path_curve(path, p[0], p[1], p[2]);
    else if (code == CODE_CURVE3) path_quadratic(path, *at, p[0], p[1]);
    else path_line(path, end.x, end.y);
    *at = end;
}

bool path_snaps(const Vertices *v, const Shaping *how) {
    return how->snap == SNAP_YES || (how->snap == SNAP_AUTO && is_rectilinear(v, &how->to));
}

static void shape_plain(Path *path, const Vertices *v, const Shaping *how) {
    Snapper snapper = {path_snaps(v, how), (int)floor(how->line_width + 0.5) % 2 ? 0.5 : 0.0};
    Point at = {NAN, NAN}, start = at;
    for (size_t i = 0; i < v->count && !path->failed;) {
        int code = code_of(v, i);
        size_t count = points_of(code);
        if (code == CODE_STOP || i + count > v->count) break;
        if (code == CODE_CLOSE) {
            if (is_finite(at)) path_close(path);
            at = start;
        } else {
            shape_step(path, v, how, &snapper, i, code, &at);
            if (code == CODE_MOVE) start = at;
        }
        i += count;
    }
}

void path_shape(Path *path, const Vertices *v, const Shaping *how) {
    enum { MANY = 128 };
    bool thin = how->open && how->threshold > 0 && !v->codes && v->count >= MANY && how->snap != SNAP_YES;
    if (thin) shape_thinned(path, v, how);
    else shape_plain(path, v, how);
}
