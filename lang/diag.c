// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The list of diagnostics and its rendering.

#include "lang/diag.h"

#include <string.h>

#include "lang/support/utf8.h"

void diag_init(DiagList *list, Mem *mem) {
    memset(list, 0, sizeof *list);
    arena_init(&list->arena, mem);
}

void diag_free(DiagList *list) {
    arena_free(&list->arena);
    list->count = list->dropped = 0;
}

const char *diag_kind_name(DiagKind kind) {
    static const char *const names[] = {"SyntaxError", "IndentationError", "TabError",
                                        "MemoryError", "RecursionError"};
    return names[kind];
}

static bool is_before(Span a, Span b) {
    return a.line != b.line ? a.line < b.line : a.col < b.col;
}

// Inserts an item for a report at `span`, in source order. If the list is full, the last report is
// dropped; returns NULL if that is the new one.
static Diag *insert(DiagList *list, Span span) {
    uint32_t at = list->count;
    while (at > 0 && is_before(span, list->items[at - 1].span)) at--;
    if (list->count == DIAG_CAP) {
        list->dropped++;
        if (at == DIAG_CAP) return NULL;
        list->count--;
    }
    memmove(&list->items[at + 1], &list->items[at], (list->count - at) * sizeof(Diag));
    list->count++;
    return &list->items[at];
}

// Formats a message into the list's arena. Returns NULL if there is no memory.
static const char *format_text(DiagList *list, const char *format, va_list args) {
    Buf text;
    buf_init(&text, list->arena.mem);
    buf_vprintf(&text, format, args);
    bool good = !text.failed && text.len > 0;
    const char *copy = good ? arena_text(&list->arena, text.data, text.len) : NULL;
    buf_free(&text);
    return copy;
}

Diag *diag_vadd(DiagList *list, DiagKind kind, Span span, const char *format, va_list args) {
    const char *message = format_text(list, format, args);
    Diag *item = insert(list, span);
    if (!item) return NULL;
    *item = (Diag){.kind = kind, .span = span, .message = message};
    if (!message) {
        item->kind = DIAG_MEMORY;
        item->message = "out of memory";
    }
    return item;
}

Diag *diag_add(DiagList *list, DiagKind kind, Span span, const char *format, ...) {
    va_list args;
    va_start(args, format);
    Diag *item = diag_vadd(list, kind, span, format, args);
    va_end(args);
    return item;
}

void diag_expect(DiagList *list, Diag *item, const char *expected) {
    if (item) item->expected = arena_text(&list->arena, expected, strlen(expected));
}

// ---- rendering ----------------------------------------------------------------------------------

static size_t line_length(const char *text, size_t len) {
    size_t n = 0;
    while (n < len && text[n] != '\n' && text[n] != '\r') n++;
    return n;
}

Text diag_source_line(const char *text, size_t len, uint32_t line) {
    if (len >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
        text += 3;
        len -= 3;
    }
    for (uint32_t number = 1; number < line && len > 0; number++) {
        size_t skip = line_length(text, len);
        bool pair = skip + 1 < len && text[skip] == '\r' && text[skip + 1] == '\n';
        if (skip < len) skip += pair ? 2 : 1;
        text += skip;
        len -= skip;
    }
    return (Text){text, line_length(text, len)};
}

uint32_t diag_column(Text line, uint32_t col) {
    return (uint32_t)utf8_count(line.bytes, col < line.len ? col : line.len);
}

// Writes the caret line. It repeats the tabs of the source line, so that it lines up at any tab width.
static void put_carets(Text line, uint32_t start, Span span, Buf *out) {
    for (uint32_t i = start; i < span.col && i < line.len;) {
        uint32_t cp;
        size_t step = utf8_decode(line.bytes + i, line.len - i, &cp);
        buf_putc(out, line.bytes[i] == '\t' ? '\t' : ' ');
        i += step ? (uint32_t)step : 1;
    }
    uint32_t first = diag_column(line, span.col);
    uint32_t last = span.end_line > span.line ? diag_column(line, (uint32_t)line.len)
                                              : diag_column(line, span.end_col);
    buf_fill(out, '^', last > first ? last - first : 1);
}

static void put_source(const Diag *item, const char *text, size_t len, Buf *out) {
    Text line = diag_source_line(text, len, item->span.line);
    uint32_t start = 0;
    while (start < line.len && (line.bytes[start] == ' ' || line.bytes[start] == '\f')) start++;
    if (start == line.len) return;
    buf_puts(out, "    ");
    buf_put(out, line.bytes + start, line.len - start);
    buf_putc(out, '\n');
    if (item->span.col < start) return;
    buf_puts(out, "    ");
    put_carets(line, start, item->span, out);
    buf_putc(out, '\n');
}

void diag_render(const Diag *item, const char *text, size_t len, const char *filename, Buf *out) {
    buf_printf(out, "  File \"%s\", line %u\n", filename, (unsigned)item->span.line);
    put_source(item, text, len, out);
    buf_printf(out, "%s: %s\n", diag_kind_name(item->kind), item->message);
    if (item->expected) buf_printf(out, "  expected: %s\n", item->expected);
}
