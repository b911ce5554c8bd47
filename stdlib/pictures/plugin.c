// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The door of the plug-in, and canvases.

#include <string.h>

#include "stdlib/pictures/canvas.h"
#include "stdlib/pictures/ops.h"
#include "stdlib/png.h"

static Pictures *pictures_open(Mem *mem) {
    Pictures *pictures = mem_zalloc(mem, sizeof *pictures);
    if (!pictures) return NULL;
    *pictures = (Pictures){.mem = mem, .references = 1, .fonts = fonts_open(mem)};
    if (pictures->fonts) return pictures;
    mem_free(mem, pictures, sizeof *pictures);
    return NULL;
}

static void pictures_close(Pictures *pictures) {
    if (--pictures->references > 0) return;
    fonts_close(pictures->fonts);
    mem_free(pictures->mem, pictures, sizeof *pictures);
}

static void canvas_close(Canvas *canvas) {
    Pictures *pictures = canvas->pictures;
    if (canvas->kind == CANVAS_PNG) raster_free(&canvas->raster);
    vector_end(canvas);
    buf_free(&canvas->text);
    path_free(&canvas->clip_path);
    mem_free(canvas->mem, canvas, sizeof *canvas);
    pictures_close(pictures);
}

static Canvas *canvas_open(Pictures *pictures, const char *kind, int width, int height) {
    Canvas *canvas = mem_zalloc(pictures->mem, sizeof *canvas);
    if (!canvas) return NULL;
    canvas->kind = strcmp(kind, "svg") == 0 ? CANVAS_SVG : strcmp(kind, "pdf") == 0 ? CANVAS_PDF : CANVAS_PNG;
    canvas->pictures = pictures;
    canvas->mem = pictures->mem;
    canvas->width = width;
    canvas->height = height;
    buf_init(&canvas->text, canvas->mem);
    path_init(&canvas->clip_path, canvas->mem);
    pictures->references++;
    bool ok = canvas->kind == CANVAS_PNG ? raster_init(&canvas->raster, canvas->mem, width, height)
                                         : vector_begin(canvas);
    if (ok) return canvas;
    canvas_close(canvas);
    return NULL;
}

void canvas_paint(Canvas *canvas, const Path *path, const Paint *paint) {
    if (path->failed) canvas->failed = true;
    if (path->failed || path->op_count == 0 || (!paint->fills && !paint->strokes)) return;
    if (canvas->kind == CANVAS_PNG) raster_paint(canvas, path, paint);
    else if (canvas->kind == CANVAS_SVG) svg_paint(canvas, path, paint);
    else pdf_paint(canvas, path, paint);
}

void canvas_save(Canvas *canvas, Buf *out) {
    if (canvas->kind == CANVAS_PNG)
        png_write(canvas->raster.rgba, (uint32_t)canvas->width, (uint32_t)canvas->height, out);
    else if (canvas->kind == CANVAS_SVG) svg_finish(canvas, out);
    else pdf_finish(canvas, out);
    if (canvas->text.failed) out->failed = true;
}

static const PicturesPlugin plugin = {
    PICTURES_VERSION, pictures_open, pictures_close, canvas_open, canvas_close, ops_call,
};

__attribute__((visibility("default"))) const PicturesPlugin *nacre_pictures(void) {
    return &plugin;
}
