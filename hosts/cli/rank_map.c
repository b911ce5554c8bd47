// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The picture of `nacre graph --ranks`: a square for each pair of ranks, the darker the more bytes one sends to the
// other, and the lines of the program that send most.

#include "rank_map.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "record.h"
#include "source.h"

enum { LEFT = 64, TOP = 92, LINES_SHOWN = 6, LINE_HEIGHT = 19, LINE_CHARACTERS = 58, WIDTH_LEAST = 640 };

// What a line sends, summed over all ranks.
typedef struct Line {
    const char *file; // borrowed
    int line;
    double bytes, messages;
} Line;

typedef struct Map {
    int ranks;
    double *bytes, *messages; // matrices; the entry of a pair is at from * ranks + to
    double least, most;       // smallest and largest number of bytes that a pair sends, of pairs that send any
    Line *lines;
    size_t line_count;
    Json *figures;            // owned; parsed figures, by rank
    int side;                 // pixels of a square
} Map;

// --- Reading -----------------------------------------------------------------------------------

static double number_of(const Json *object, const char *key) {
    const Json *value = json_get(object, key);
    return value && (value->kind == JSON_INTEGER || value->kind == JSON_NUMBER) ? value->number : 0;
}

static void add_line(Map *map, const Json *from) {
    const Json *file = json_get(from, "file");
    const char *name = file && file->kind == JSON_STRING ? file->text : "";
    const int number = (int)number_of(from, "line");
    size_t at = 0;
    while (at < map->line_count && !(map->lines[at].line == number && strcmp(map->lines[at].file, name) == 0)) at++;
    if (at == map->line_count) map->lines[map->line_count++] = (Line){.file = name, .line = number};
    map->lines[at].bytes += number_of(from, "message_bytes_sent");
    map->lines[at].messages += number_of(from, "messages_sent");
}

static void add_rank(Map *map, int from, const Json *figures) {
    const Json *sent = json_get(figures, "sent"), *lines = json_get(figures, "lines");
    for (size_t i = 0; sent && i < sent->count; i++) {
        const int to = (int)number_of(&sent->items[i], "to");
        if (to < 0 || to >= map->ranks) continue;
        map->bytes[from * map->ranks + to] = number_of(&sent->items[i], "bytes");
        map->messages[from * map->ranks + to] = number_of(&sent->items[i], "messages");
    }
    for (size_t i = 0; lines && i < lines->count; i++) add_line(map, &lines->items[i]);
}

static size_t count_lines(const Map *map) {
    size_t count = 0;
    for (int r = 0; r < map->ranks; r++) {
        const Json *lines = json_get(&map->figures[r], "lines");
        count += lines ? lines->count : 0;
    }
    return count;
}

static int by_bytes(const void *a, const void *b) {
    const double x = ((const Line *)a)->bytes, y = ((const Line *)b)->bytes;
    return (x < y) - (x > y);
}

static bool read_figures(Map *map, const Figures *figures) {
    const size_t ranks = (size_t)figures->count;
    map->ranks = figures->count;
    map->bytes = calloc(ranks * ranks, sizeof *map->bytes);
    map->messages = calloc(ranks * ranks, sizeof *map->messages);
    map->figures = calloc(ranks, sizeof *map->figures);
    if (!map->bytes || !map->messages || !map->figures) return false;
    for (int r = 0; r < map->ranks; r++) {
        const char *problem;
        int line;
        if (!json_read(text_string(&figures->ranks[r]), figures->ranks[r].len, &map->figures[r], &problem, &line)) return false;
    }
    map->lines = calloc(count_lines(map) + 1, sizeof *map->lines);
    if (!map->lines) return false;
    for (int r = 0; r < map->ranks; r++) add_rank(map, r, &map->figures[r]);
    qsort(map->lines, map->line_count, sizeof *map->lines, by_bytes);
    for (size_t i = 0; i < ranks * ranks; i++) {
        const double bytes = map->bytes[i];
        if (bytes > 0 && (map->least == 0 || bytes < map->least)) map->least = bytes;
        if (bytes > map->most) map->most = bytes;
    }
    return true;
}

static void free_map(Map *map) {
    for (int r = 0; map->figures && r < map->ranks; r++) json_free(&map->figures[r]);
    free(map->figures);
    free(map->bytes);
    free(map->messages);
    free(map->lines);
}

// --- Drawing -----------------------------------------------------------------------------------

static void put_escaped(const char *text, size_t len, Text *out) {
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '<') text_puts(out, "&lt;");
        else if (text[i] == '&') text_puts(out, "&amp;");
        else if (text[i] == '"') text_puts(out, "&quot;");
        else if ((unsigned char)text[i] >= ' ') text_add(out, &text[i], 1);
    }
}

// Returns a shade from 0 to 1. It is logarithmic, as what pairs send may differ by factors of thousands.
static double darkness(const Map *map, double bytes) {
    if (bytes <= 0) return 0;
    if (map->most <= map->least) return 1;
    return 0.12 + 0.88 * log(bytes / map->least) / log(map->most / map->least);
}

static void put_colour(double dark, Text *out) {
    static const int from[] = {247, 249, 252}, to[] = {8, 64, 129};
    int rgb[3];
    for (int i = 0; i < 3; i++) rgb[i] = (int)lround(from[i] + dark * (to[i] - from[i]));
    text_printf(out, "#%02x%02x%02x", rgb[0], rgb[1], rgb[2]);
}

static void put_label(double x, double y, int size, const char *anchor, const char *colour, const char *text, Text *out) {
    text_printf(out, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%d\" text-anchor=\"%s\" fill=\"%s\">", x, y, size, anchor, colour);
    put_escaped(text, strlen(text), out);
    text_puts(out, "</text>\n");
}

static void put_amount(double x, double y, int size, const char *anchor, const char *colour, double bytes, Text *out) {
    Text amount = {0};
    record_bytes(bytes, &amount);
    put_label(x, y, size, anchor, colour, text_string(&amount), out);
    text_free(&amount);
}

static void put_pair(const Map *map, int from, int to, Text *out) {
    const double bytes = map->bytes[from * map->ranks + to], messages = map->messages[from * map->ranks + to];
    const double dark = darkness(map, bytes), x = LEFT + to * map->side, y = TOP + from * map->side;
    text_printf(out, "<rect x=\"%.0f\" y=\"%.0f\" width=\"%d\" height=\"%d\" fill=\"", x, y, map->side - 1, map->side - 1);
    if (from == to) text_puts(out, "#e6e6e6");
    else put_colour(dark, out);
    text_printf(out, "\"><title>rank %d to rank %d: %.0f bytes, %.0f messages</title></rect>\n", from, to, bytes, messages);
    if (from == to || bytes == 0 || map->side < 52) return;
    put_amount(x + map->side / 2.0, y + map->side / 2.0 + 4, 11, "middle", dark > 0.5 ? "#ffffff" : "#1f2933", bytes, out);
}

// Returns whether a rank's number is shown; with many ranks there is no space for all.
static bool is_labelled(const Map *map, int rank) {
    const int apart = map->side >= 18 ? 1 : map->side >= 11 ? 4 : 8;
    return rank % apart == 0 || rank == map->ranks - 1;
}

static void put_sums(const Map *map, int rank, Text *out) {
    double sent = 0, received = 0;
    char name[16];
    const double middle = rank * map->side + map->side / 2.0, end = map->ranks * map->side;
    for (int r = 0; r < map->ranks; r++) {
        sent += map->bytes[rank * map->ranks + r];
        received += map->bytes[r * map->ranks + rank];
    }
    if (!is_labelled(map, rank)) return;
    snprintf(name, sizeof name, "%d", rank);
    put_label(LEFT - 8, TOP + middle + 4, 11, "end", "#1f2933", name, out);
    put_label(LEFT + middle, TOP - 7, 11, "middle", "#1f2933", name, out);
    put_amount(LEFT + end + 8, TOP + middle + 4, 11, "start", "#52606d", sent, out);
    text_printf(out, "<g transform=\"translate(%.1f %.1f) rotate(-90)\">", LEFT + middle + 4, TOP + end + 8);
    put_amount(0, 0, 11, "end", "#52606d", received, out);
    text_puts(out, "</g>\n");
}

static void put_head(const Map *map, const char *title, Text *out) {
    double bytes = 0, messages = 0;
    Text line = {0};
    for (int i = 0; i < map->ranks * map->ranks; i++) {
        bytes += map->bytes[i];
        messages += map->messages[i];
    }
    text_printf(&line, "%s on %d ranks", title, map->ranks);
    put_label(16, 26, 16, "start", "#1f2933", text_string(&line), out);
    text_clear(&line);
    text_puts(&line, "who sends how much to whom: ");
    record_bytes(bytes, &line);
    text_printf(&line, " in %.0f messages", messages);
    put_label(16, 46, 12, "start", "#52606d", text_string(&line), out);
    text_free(&line);
    put_label(LEFT + map->ranks * map->side / 2.0, TOP - 24, 11, "middle", "#52606d", "to rank", out);
    text_printf(out, "<g transform=\"translate(16 %.1f) rotate(-90)\">", TOP + map->ranks * map->side / 2.0);
    put_label(0, 0, 11, "middle", "#52606d", "from rank", out);
    text_puts(out, "</g>\n");
    const int end = map->ranks * map->side;
    put_label(LEFT + end + 8, TOP - 7, 11, "start", "#52606d", "sends", out);
    put_label(LEFT - 8, TOP + end + 20, 11, "end", "#52606d", "receives", out);
}

static void put_legend(const Map *map, int y, Text *out) {
    enum { STEPS = 24, STEP = 6 };
    if (map->most == 0) return;
    for (int i = 0; i < STEPS; i++) {
        text_printf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"10\" fill=\"", LEFT + 64 + i * STEP, y, STEP);
        put_colour(map->most > map->least ? 0.12 + 0.88 * i / (STEPS - 1) : 1, out);
        text_puts(out, "\"/>\n");
    }
    put_amount(LEFT + 58, y + 9, 11, "end", "#52606d", map->least, out);
    put_amount(LEFT + 64 + STEPS * STEP + 6, y + 9, 11, "start", "#52606d", map->most, out);
}

static void put_code(const Line *line, Text *out) {
    Source source;
    Text code = {0};
    source_open(&source, line->file, NULL);
    source_put(&source, line->line, LINE_CHARACTERS, &code);
    source_close(&source);
    while (code.len && code.bytes[code.len - 1] == ' ') code.bytes[--code.len] = '\0';
    text_add(out, text_string(&code), code.len);
    text_free(&code);
}

static void put_line(const Line *line, int y, Text *out) {
    char number[16];
    Text code = {0};
    snprintf(number, sizeof number, "%d", line->line);
    if (*line->file) put_code(line, &code);
    else text_puts(&code, "(the beginning and the end of the program)");
    put_amount(LEFT + 58, y, 11, "end", "#1f2933", line->bytes, out);
    put_label(LEFT + 96, y, 11, "end", "#52606d", line->line ? number : "", out);
    put_label(LEFT + 106, y, 11, "start", "#1f2933", text_string(&code), out);
    text_free(&code);
}

static size_t lines_shown(const Map *map) {
    size_t shown = 0;
    while (shown < map->line_count && shown < LINES_SHOWN && map->lines[shown].bytes > 0) shown++;
    return shown;
}

static void draw(const Map *map, const char *title, Text *out) {
    const int end = map->ranks * map->side, legend = TOP + end + 78;
    const size_t shown = lines_shown(map);
    const int width = LEFT + end + 110 > WIDTH_LEAST ? LEFT + end + 110 : WIDTH_LEAST;
    const int height = legend + 52 + (int)shown * LINE_HEIGHT;
    text_printf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
                "font-family=\"Helvetica, Arial, sans-serif\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
                width, height, width, height);
    put_head(map, title, out);
    for (int from = 0; from < map->ranks; from++)
        for (int to = 0; to < map->ranks; to++) put_pair(map, from, to, out);
    for (int r = 0; r < map->ranks; r++) put_sums(map, r, out);
    put_legend(map, legend, out);
    if (shown) put_label(LEFT + 106, legend + 34, 11, "start", "#52606d", "lines whose messages have most bytes, of all ranks", out);
    for (size_t i = 0; i < shown; i++) put_line(&map->lines[i], legend + 34 + (int)(i + 1) * LINE_HEIGHT, out);
    text_puts(out, "</svg>\n");
}

bool rank_map_put(const Figures *figures, const char *title, Text *out) {
    Map map = {0};
    const bool read = read_figures(&map, figures);
    map.side = map.ranks <= 8 ? 62 : map.ranks <= 12 ? 52 : map.ranks <= 24 ? 26 : map.ranks <= 40 ? 16 : 11;
    if (read) draw(&map, title, out);
    free_map(&map);
    return read && !out->failed;
}
