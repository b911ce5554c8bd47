// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Text by FreeType, from fonts that are embedded in the plug-in: DejaVu 2.37 (licences: see fonts.c). On pixels glyphs
// are hinted and placed at fractions of a pixel; elsewhere they are outlines.

#include <ft2build.h>
#include FT_FREETYPE_H
#include FT_GLYPH_H
#include FT_MODULE_H
#include FT_OUTLINE_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lang/support/utf8.h"
#include "stdlib/pictures/canvas.h"
#include "stdlib/pictures/fonts.h"

struct Fonts {
    Mem *mem;
    struct FT_MemoryRec_ memory;
    FT_Library library;
    FT_Face faces[FONT_FACES]; // opened at first use
    double sizes[FONT_FACES];  // size that each face is set to
};

// --- FreeType's memory ---------------------------------------------------------------------------

// Header of each FreeType allocation: mem_free needs the size of a block, which FreeType does not pass. Memory comes
// from the VM and counts against its limit. If the VM refuses, it comes from malloc: FreeType 2.12 does not survive
// every refusal (of memory for a glyph's instructions), and it needs a bounded amount only.
typedef union Head {
    struct {
        size_t size;
        bool own; // from malloc, not from the VM
    } block;
    max_align_t align;
} Head;

static void *font_alloc(FT_Memory memory, long size) {
    size_t whole = (size_t)size + sizeof(Head);
    Head *head = mem_alloc(memory->user, whole);
    bool own = !head;
    if (own) head = malloc(whole);
    if (!head) return NULL;
    head->block.size = whole;
    head->block.own = own;
    return head + 1;
}

static void font_free(FT_Memory memory, void *block) {
    Head *head = (Head *)block - 1;
    if (head->block.own) free(head);
    else mem_free(memory->user, head, head->block.size);
}

static void *font_realloc(FT_Memory memory, long old_size, long size, void *block) {
    void *grown = font_alloc(memory, size);
    if (!grown) return NULL;
    memcpy(grown, block, (size_t)(old_size < size ? old_size : size));
    font_free(memory, block);
    return grown;
}

Fonts *fonts_open(Mem *mem) {
    Fonts *fonts = mem_zalloc(mem, sizeof *fonts);
    if (!fonts) return NULL;
    fonts->mem = mem;
    fonts->memory.user = mem;
    fonts->memory.alloc = font_alloc;
    fonts->memory.free = font_free;
    fonts->memory.realloc = font_realloc;
    if (FT_New_Library(&fonts->memory, &fonts->library) != 0) {
        mem_free(mem, fonts, sizeof *fonts);
        return NULL;
    }
    FT_Add_Default_Modules(fonts->library);
    return fonts;
}

void fonts_close(Fonts *fonts) {
    for (int i = 0; i < FONT_FACES; i++)
        if (fonts->faces[i]) FT_Done_Face(fonts->faces[i]);
    FT_Done_Library(fonts->library);
    mem_free(fonts->mem, fonts, sizeof *fonts);
}

static FT_Face face_of(Fonts *fonts, const Font *font) {
    int i = font->face < 0 || font->face >= FONT_FACES ? 0 : font->face;
    if (!fonts->faces[i]) {
        const FontFile *file = &font_files[i];
        if (FT_New_Memory_Face(fonts->library, file->begin, (FT_Long)(file->end - file->begin), 0, &fonts->faces[i]))
            return NULL;
        fonts->sizes[i] = 0;
    }
    if (fonts->sizes[i] != font->size) {
        double size = font->size > 10000 ? 10000 : font->size > 0.1 ? font->size : 0.1;
        if (FT_Set_Char_Size(fonts->faces[i], (FT_F26Dot6)(size * 64 + 0.5), 0, 72, 72)) return NULL;
        fonts->sizes[i] = font->size;
    }
    return fonts->faces[i];
}

// --- Lines of glyphs -----------------------------------------------------------------------------

typedef struct Walk {
    FT_Face face;
    FT_Int32 flags;
    const char *at, *end;
    FT_UInt glyph, before;
    FT_Pos pen, advance; // in 64ths of a pixel
    bool failed;         // out of memory
} Walk;

// Loads the next glyph; walk->pen is its position. False: the text has ended, or w->failed.
static bool walk_next(Walk *w) {
    while (w->at < w->end) {
        uint32_t code;
        size_t length = utf8_decode(w->at, (size_t)(w->end - w->at), &code);
        w->at += length ? length : 1;
        if (!length) code = 0xfffd;
        if (code == 0x200b || code == 0xfe0e || code == 0xfe0f) continue; // zero-width space, variation selectors
        w->pen += w->advance;
        w->before = w->glyph;
        w->glyph = FT_Get_Char_Index(w->face, code);
        FT_Vector kern = {0, 0};
        if (w->before && w->glyph && FT_HAS_KERNING(w->face))
            FT_Get_Kerning(w->face, w->before, w->glyph, FT_KERNING_UNFITTED, &kern);
        w->pen += kern.x;
        w->advance = 0;
        FT_Error error = FT_Load_Glyph(w->face, w->glyph, w->flags);
        if (error == FT_Err_Out_Of_Memory) {
            w->failed = true;
            return false;
        }
        if (error) continue;
        w->advance = w->face->glyph->advance.x;
        return true;
    }
    return false;
}

// Returns whether all glyphs were loaded. A face that ran out of memory may be inconsistent, so it is closed, to be
// opened again.
static bool walk_ended(Fonts *fonts, const Walk *w) {
    for (int i = 0; w->failed && i < FONT_FACES; i++)
        if (fonts->faces[i] == w->face) {
            FT_Done_Face(fonts->faces[i]);
            fonts->faces[i] = NULL;
        }
    return !w->failed;
}

static const FT_Matrix slant = {0x10000, 0x3333, 0, 0x10000}; // as DejaVu's oblique faces: a fifth (16.16 fixed point)

bool text_measure(Fonts *fonts, const Font *font, const char *text, size_t len, bool plain, TextSize *size) {
    *size = (TextSize){0};
    Walk w = {.face = face_of(fonts, font), .flags = (plain ? FT_LOAD_NO_HINTING : FT_LOAD_DEFAULT) | FT_LOAD_NO_BITMAP,
              .at = text, .end = text + len};
    if (!w.face) return false;
    FT_BBox all = {32000 * 64, 32000 * 64, -32000 * 64, -32000 * 64};
    while (walk_next(&w)) {
        FT_BBox box;
        if (w.face->glyph->format != FT_GLYPH_FORMAT_OUTLINE || w.face->glyph->outline.n_points == 0) continue;
        if (font->slanted) FT_Outline_Transform(&w.face->glyph->outline, &slant);
        FT_Outline_Get_CBox(&w.face->glyph->outline, &box);
        if (box.xMin + w.pen < all.xMin) all.xMin = box.xMin + w.pen;
        if (box.xMax + w.pen > all.xMax) all.xMax = box.xMax + w.pen;
        if (box.yMin < all.yMin) all.yMin = box.yMin;
        if (box.yMax > all.yMax) all.yMax = box.yMax;
    }
    if (!walk_ended(fonts, &w)) return false;
    size->width = (double)(w.pen + w.advance) / 64;
    if (all.xMin > all.xMax) return true;
    size->height = (double)(all.yMax - all.yMin) / 64;
    size->descent = -(double)all.yMin / 64;
    size->x_min = (double)all.xMin / 64;
    return true;
}

// --- Outlines ------------------------------------------------------------------------------------

typedef struct Tracing {
    Path *path;
    double x; // of the glyph's origin
    Point at;
    bool open;
} Tracing;

static Point traced(const Tracing *t, const FT_Vector *v) {
    return (Point){t->x + (double)v->x / 64, -(double)v->y / 64};
}

static int trace_move(const FT_Vector *to, void *ctx) {
    Tracing *t = ctx;
    if (t->open) path_close(t->path);
    t->open = true;
    t->at = traced(t, to);
    path_move(t->path, t->at.x, t->at.y);
    return 0;
}

static int trace_line(const FT_Vector *to, void *ctx) {
    Tracing *t = ctx;
    t->at = traced(t, to);
    path_line(t->path, t->at.x, t->at.y);
    return 0;
}

static int trace_conic(const FT_Vector *a, const FT_Vector *to, void *ctx) {
    Tracing *t = ctx;
    Point end = traced(t, to);
    path_quadratic(t->path, t->at, traced(t, a), end);
    t->at = end;
    return 0;
}

static int trace_cubic(const FT_Vector *a, const FT_Vector *b, const FT_Vector *to, void *ctx) {
    Tracing *t = ctx;
    t->at = traced(t, to);
    path_curve(t->path, traced(t, a), traced(t, b), t->at);
    return 0;
}

void text_outline(Fonts *fonts, const Font *font, const char *text, size_t len, Path *out) {
    // Traced at a larger size, so that rounding to 64ths of a pixel is invisible.
    enum { LARGER = 16 };
    static const FT_Outline_Funcs funcs = {trace_move, trace_line, trace_conic, trace_cubic, 0, 0};
    Font large = *font;
    large.size *= LARGER;
    size_t from = out->point_count;
    Walk w = {.face = face_of(fonts, &large), .flags = FT_LOAD_NO_HINTING | FT_LOAD_NO_BITMAP, .at = text,
              .end = text + len};
    if (!w.face) {
        out->failed = true;
        return;
    }
    Tracing t = {.path = out};
    while (walk_next(&w)) {
        if (w.face->glyph->format != FT_GLYPH_FORMAT_OUTLINE) continue;
        if (font->slanted) FT_Outline_Transform(&w.face->glyph->outline, &slant);
        t.x = (double)w.pen / 64;
        t.open = false;
        FT_Outline_Decompose(&w.face->glyph->outline, &funcs, &t);
        if (t.open) path_close(out);
    }
    if (!walk_ended(fonts, &w)) out->failed = true;
    for (size_t i = from; i < out->point_count; i++) {
        out->points[i].x /= LARGER;
        out->points[i].y /= LARGER;
    }
}

// --- Drawing -------------------------------------------------------------------------------------

static void draw_pixels(Canvas *canvas, const Font *font, const char *text, size_t len, Point at, double angle,
                        Colour colour, const double clip[4]) {
    Walk w = {.face = face_of(canvas->pictures->fonts, font), .flags = FT_LOAD_DEFAULT | FT_LOAD_NO_BITMAP, .at = text,
              .end = text + len};
    if (!w.face) {
        canvas->failed = true;
        return;
    }
    double radians = angle * M_PI / 180, cosine = cos(radians), sine = sin(radians);
    FT_Matrix turn = {lround(cosine * 0x10000), lround(-sine * 0x10000), lround(sine * 0x10000),
                      lround(cosine * 0x10000)};
    if (font->slanted) {
        FT_Matrix both = slant;
        FT_Matrix_Multiply(&turn, &both);
        turn = both;
    }
    IntBox box = canvas_pixels_in(canvas, clip);
    if (!stamps_begin(canvas)) return;
    while (walk_next(&w)) {
        FT_GlyphSlot slot = w.face->glyph;
        if (slot->format != FT_GLYPH_FORMAT_OUTLINE) continue;
        double x = at.x + (double)w.pen / 64 * cosine, up = canvas->height - at.y + (double)w.pen / 64 * sine;
        if (!(fabs(x) < 1e5 && fabs(up) < 1e5)) continue;
        FT_Outline_Transform(&slot->outline, &turn);
        FT_Outline_Translate(&slot->outline, lround(x * 64), lround(up * 64));
        FT_Error error = FT_Render_Glyph(slot, FT_RENDER_MODE_NORMAL);
        if (error == FT_Err_Out_Of_Memory) w.failed = true;
        if (w.failed) break;
        if (error) continue;
        Stamp stamp = {.width = (int)slot->bitmap.width, .height = (int)slot->bitmap.rows,
                       .stride = slot->bitmap.pitch, .cover = slot->bitmap.buffer};
        stamp_put(&stamp, canvas, &box, slot->bitmap_left, canvas->height - slot->bitmap_top, &colour);
    }
    stamps_end(canvas);
    if (!walk_ended(canvas->pictures->fonts, &w)) canvas->failed = true;
}

void text_draw(Canvas *canvas, const Font *font, const char *text, size_t len, Point at, double angle, Colour colour,
               const double clip[4]) {
    if (!isfinite(angle) || !isfinite(at.x) || !isfinite(at.y)) return;
    if (canvas->kind == CANVAS_PNG) {
        draw_pixels(canvas, font, text, len, at, angle, colour, clip);
        return;
    }
    Path path;
    path_init(&path, canvas->mem);
    text_outline(canvas->pictures->fonts, font, text, len, &path);
    double radians = angle * M_PI / 180, cosine = cos(radians), sine = sin(radians);
    for (size_t i = 0; i < path.point_count; i++) {
        Point p = path.points[i];
        path.points[i] = (Point){at.x + p.x * cosine + p.y * sine, at.y - p.x * sine + p.y * cosine};
    }
    Paint paint = {.fills = true, .face = colour, .smooth = true};
    memcpy(paint.clip, clip, sizeof paint.clip);
    canvas_paint(canvas, &path, &paint);
    path_free(&path);
}
