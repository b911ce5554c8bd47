// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Strokes as areas. Each segment is a rectangle, each corner a wedge on its outer side, each end a cap: polygons that
// all turn the same way, so that winding numbers add up where they overlap and nothing cancels out.

#include "stdlib/pictures/canvas.h"

#include <math.h>

static void polygon(Path *out, const Point *points, int count) {
    double area = 0;
    for (int i = 0; i < count; i++) {
        Point a = points[i], b = points[(i + 1) % count];
        area += a.x * b.y - b.x * a.y;
    }
    for (int i = 0; i < count; i++) {
        Point p = points[area < 0 ? count - 1 - i : i];
        if (i == 0) path_move(out, p.x, p.y);
        else path_line(out, p.x, p.y);
    }
    path_close(out);
}

// The part of a disc between two angles, in steps too short to be seen.
static void sector(Path *out, Point centre, double radius, double from, double to) {
    enum { MOST = 64 };
    Point points[MOST + 2];
    double step = 2 * acos(radius > 0.125 ? 1 - 0.03125 / radius : 0.75);
    int count = (int)ceil(fabs(to - from) / step);
    if (count > MOST) count = MOST;
    if (count < 1) count = 1;
    points[0] = centre;
    for (int i = 0; i <= count; i++) {
        double angle = from + (to - from) * i / count;
        points[i + 1] = (Point){centre.x + radius * cos(angle), centre.y + radius * sin(angle)};
    }
    polygon(out, points, count + 2);
}

typedef struct Segment {
    Point from, to, unit; // unit: direction
} Segment;

static bool segment_make(Segment *s, Point from, Point to) {
    double dx = to.x - from.x, dy = to.y - from.y, length = hypot(dx, dy);
    if (!(length > 1e-9)) return false;
    *s = (Segment){from, to, {dx / length, dy / length}};
    return true;
}

static void draw_body(Path *out, const Segment *s, double half, double before, double behind) {
    Point n = {-s->unit.y * half, s->unit.x * half};
    Point a = {s->from.x - s->unit.x * before, s->from.y - s->unit.y * before};
    Point b = {s->to.x + s->unit.x * behind, s->to.y + s->unit.y * behind};
    const Point corners[4] = {
        {a.x + n.x, a.y + n.y}, {a.x - n.x, a.y - n.y}, {b.x - n.x, b.y - n.y}, {b.x + n.x, b.y + n.y}};
    polygon(out, corners, 4);
}

static void draw_join(Path *out, const Segment *s, const Segment *t, const Pen *pen) {
    static const double MITER_LIMIT = 4;
    double half = pen->width / 2;
    double cross = s->unit.x * t->unit.y - s->unit.y * t->unit.x;
    double dot = s->unit.x * t->unit.x + s->unit.y * t->unit.y;
    if (fabs(cross) < 1e-6 && dot > 0) return;
    double side = cross > 0 ? -1 : 1; // the outer one
    Point at = t->from;
    Point a = {at.x - side * s->unit.y * half, at.y + side * s->unit.x * half};
    Point b = {at.x - side * t->unit.y * half, at.y + side * t->unit.x * half};
    if (pen->join == JOIN_ROUND) {
        double from = atan2(a.y - at.y, a.x - at.x), turn = atan2(cross, dot);
        sector(out, at, half, from, from + turn);
        return;
    }
    // The outer lines meet at half / cos(half the turn) from the corner.
    double cosine = sqrt(fmax(0, (1 + dot) / 2));
    Point points[4] = {at, a, b};
    int count = 3;
    if (pen->join == JOIN_MITER && cosine > 1 / MITER_LIMIT) {
        Point middle = {a.x + b.x - 2 * at.x, a.y + b.y - 2 * at.y};
        double length = hypot(middle.x, middle.y), reach = half / cosine;
        if (length > 0) {
            points[2] = (Point){at.x + middle.x / length * reach, at.y + middle.y / length * reach};
            points[3] = b;
            count = 4;
        }
    }
    polygon(out, points, count);
}

static void draw_round_cap(Path *out, const Segment *s, double half, bool end) {
    Point at = end ? s->to : s->from;
    double angle = atan2(s->unit.y, s->unit.x) + (end ? -M_PI_2 : M_PI_2);
    sector(out, at, half, angle, angle + M_PI);
}

// A line through points, closed or with caps.
static void stroke_line(Path *out, const Point *points, size_t count, bool closed, const Pen *pen) {
    double half = pen->width / 2, square = pen->cap == CAP_SQUARE ? half : 0;
    Segment first, last, s;
    bool any = false;
    size_t steps = closed ? count : count - 1;
    for (size_t i = 0; i < steps && !out->failed; i++) {
        Point from = any ? last.to : points[i];
        if (!segment_make(&s, from, points[(i + 1) % count])) continue;
        if (any) {
            draw_join(out, &last, &s, pen);
            draw_body(out, &last, half, closed || last.from.x != first.from.x || last.from.y != first.from.y ? 0 : square,
                      0);
        } else {
            first = s;
        }
        last = s;
        any = true;
    }
    if (!any) { // a point: caps alone
        s = (Segment){points[0], points[0], {1, 0}};
        if (pen->cap == CAP_SQUARE) draw_body(out, &s, half, half, half);
        if (pen->cap == CAP_ROUND) sector(out, points[0], half, 0, 2 * M_PI);
        return;
    }
    bool alone = last.from.x == first.from.x && last.from.y == first.from.y;
    draw_body(out, &last, half, !closed && alone ? square : 0, closed ? 0 : square);
    if (closed) draw_join(out, &last, &first, pen);
    if (!closed && pen->cap == CAP_ROUND) {
        draw_round_cap(out, &first, half, false);
        draw_round_cap(out, &last, half, true);
    }
}

// Calls for each line of a flat path.
typedef void (*LineFn)(Path *out, const Point *points, size_t count, bool closed, const Pen *pen);

static void each_line(const Path *flat, const Pen *pen, Path *out, LineFn fn) {
    const Point *points = flat->points, *begin = points;
    size_t count = 0;
    for (size_t i = 0; i < flat->op_count; i++) {
        if (flat->ops[i] == PATH_MOVE) {
            if (count > 1) fn(out, begin, count, false, pen);
            begin = points++;
            count = 1;
        } else if (flat->ops[i] == PATH_LINE) {
            points++;
            count++;
        } else if (count > 0) {
            bool again = count > 1 && begin[0].x == begin[count - 1].x && begin[0].y == begin[count - 1].y;
            if (count - again > 0) fn(out, begin, count - again, count - again > 1, pen);
            count = 0;
        }
    }
    if (count > 1) fn(out, begin, count, false, pen);
}

void path_stroke(const Path *flat, const Pen *pen, Path *out) {
    if (pen->width > 0) each_line(flat, pen, out, stroke_line);
}

// --- Dashes --------------------------------------------------------------------------------------

static void dash_line(Path *out, const Point *points, size_t count, bool closed, const Pen *pen) {
    enum { DASHES_MOST = 1000000 };
    double left = fmod(pen->dash_offset, 1e9);
    int k = 0;
    double total = 0;
    for (int i = 0; i < pen->dash_count; i++) {
        if (!(pen->dashes[i] >= 0)) return;
        total += pen->dashes[i];
    }
    if (!(total > 1e-3 && total < 1e9 && fabs(left) < 1e9)) return;
    left = left - floor(left / total) * total;
    while (left >= pen->dashes[k]) left -= pen->dashes[k], k = (k + 1) % pen->dash_count;
    left = pen->dashes[k] - left;
    bool down = k % 2 == 0;
    if (down) path_move(out, points[0].x, points[0].y);
    int made = 0;
    for (size_t i = 0; i + 1 < count + closed; i++) {
        Segment s;
        if (!segment_make(&s, points[i], points[(i + 1) % count])) continue;
        double length = hypot(s.to.x - s.from.x, s.to.y - s.from.y), at = 0;
        while (length - at > left && made++ < DASHES_MOST && !out->failed) {
            at += left;
            Point p = {s.from.x + s.unit.x * at, s.from.y + s.unit.y * at};
            if (down) path_line(out, p.x, p.y);
            else path_move(out, p.x, p.y);
            down = !down;
            k = (k + 1) % pen->dash_count;
            left = pen->dashes[k];
        }
        left -= length - at;
        if (down) path_line(out, s.to.x, s.to.y);
    }
}

void path_dash(const Path *flat, const Pen *pen, Path *out) {
    each_line(flat, pen, out, dash_line);
}
