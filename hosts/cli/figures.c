// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Figures of ranks.

#include "figures.h"

#include <inttypes.h>
#include <stdlib.h>

#include "json.h"

enum { LINES_MOST = 24 };

// --- One rank --------------------------------------------------------------------------------------

static void put_totals(const NacreStats *s, Text *out) {
    text_printf(out, "\"rank\": %" PRIu64 ", \"messages_sent\": %" PRIu64 ", \"messages_received\": %" PRIu64
                ", \"message_bytes_sent\": %" PRIu64 ", \"message_bytes_received\": %" PRIu64 ", \"exchanges\": %" PRIu64
                ", \"gathers\": %" PRIu64 ", \"broadcasts\": %" PRIu64 ", \"seconds_with_ranks\": %.6f, \"kernels_shared\": %" PRIu64
                ", \"kernels_gathered\": %" PRIu64 ", \"arrays_gathered\": %" PRIu64 ", \"array_exchanges\": %" PRIu64
                ", \"array_bytes_received\": %" PRIu64 ", \"exchanges_overlapped\": %" PRIu64, s->rank,
                s->messages_sent, s->messages_received, s->message_bytes_sent, s->message_bytes_received, s->exchanges,
                s->gathers, s->broadcasts, s->seconds_with_ranks, s->kernels_shared, s->kernels_gathered,
                s->arrays_gathered, s->array_exchanges, s->array_bytes_received, s->exchanges_overlapped);
}

static void put_sent(const NacreVm *vm, const NacreStats *stats, Text *out) {
    const char *between = "";
    text_puts(out, ", \"sent\": [");
    for (int r = 0; r < (int)stats->ranks; r++) {
        uint64_t messages = 0, bytes = 0;
        if (nacre_rank_sent(vm, r, &messages, &bytes) != NACRE_OK || !messages) continue;
        text_printf(out, "%s{\"to\": %d, \"messages\": %" PRIu64 ", \"bytes\": %" PRIu64 "}", between, r, messages, bytes);
        between = ", ";
    }
    text_puts(out, "]");
}

static void put_line(const NacreRankLine *line, Text *out) {
    text_puts(out, "\n      {\"file\": ");
    json_put_string(line->file ? line->file : "", out);
    text_printf(out, ", \"line\": %" PRIu32 ", \"exchanges\": %" PRIu64 ", \"gathers\": %" PRIu64 ", \"broadcasts\": %" PRIu64
                ", \"messages_sent\": %" PRIu64 ", \"messages_received\": %" PRIu64 ", \"message_bytes_sent\": %" PRIu64
                ", \"message_bytes_received\": %" PRIu64 ", \"seconds\": %.6f", line->line, line->exchanges, line->gathers,
                line->broadcasts, line->messages_sent, line->messages_received, line->message_bytes_sent,
                line->message_bytes_received, line->seconds);
    text_printf(out, ", \"array_exchanges\": %" PRIu64 ", \"array_bytes_received\": %" PRIu64 ", \"arrays_gathered\": %" PRIu64
                ", \"array_bytes_gathered\": %" PRIu64 "}", line->array_exchanges, line->array_bytes_received,
                line->arrays_gathered, line->array_bytes_gathered);
}

static int by_seconds(const void *a, const void *b) {
    const double x = ((const NacreRankLine *)a)->seconds, y = ((const NacreRankLine *)b)->seconds;
    return (x < y) - (x > y);
}

// Appends the lines whose collective steps took longest; none if memory runs out.
static void put_lines(const NacreVm *vm, Text *out) {
    NacreRankLine line = {.struct_size = sizeof line}, *steps = NULL;
    int count = 0, kept = 0;
    while (nacre_rank_line(vm, count, &line) == NACRE_OK) count++;
    steps = malloc(((size_t)count + 1) * sizeof *steps);
    out->failed |= !steps;
    for (int i = 0; steps && i < count; i++) {
        nacre_rank_line(vm, i, &line);
        if (line.exchanges + line.gathers + line.broadcasts) steps[kept++] = line;
    }
    if (kept) qsort(steps, (size_t)kept, sizeof *steps, by_seconds);
    text_puts(out, ", \"lines\": [");
    for (int i = 0; i < kept && i < LINES_MOST; i++) {
        if (i) text_puts(out, ",");
        put_line(&steps[i], out);
    }
    text_puts(out, "]");
    free(steps);
}

void figures_put(const NacreVm *vm, Text *out) {
    NacreStats stats = {.struct_size = sizeof stats};
    if (nacre_stats(vm, &stats) != NACRE_OK) return;
    text_puts(out, "{");
    put_totals(&stats, out);
    put_sent(vm, &stats, out);
    put_lines(vm, out);
    text_puts(out, "}");
}

// --- All ranks -------------------------------------------------------------------------------------

void figures_take(Figures *figures, int rank, Text *own) {
    if (rank < figures->count && !own->failed) {
        text_free(&figures->ranks[rank]);
        figures->ranks[rank] = *own;
        *own = (Text){0};
    }
    text_free(own);
}

static void take_message(void *ctx, int rank, const void *bytes, size_t len) {
    Text text = {0};
    text_add(&text, bytes, len);
    figures_take(ctx, rank, &text);
}

void figures_collect(Figures *figures, NacreVm *vm, bool by_message) {
    NacreStats stats = {.struct_size = sizeof stats};
    Text own = {0};
    if (nacre_stats(vm, &stats) != NACRE_OK) return;
    figures->ranks = calloc((size_t)stats.ranks, sizeof *figures->ranks);
    figures->count = figures->ranks ? (int)stats.ranks : 0;
    figures_put(vm, &own);
    if (by_message) nacre_collect(vm, text_string(&own), own.len, take_message, figures);
    figures_take(figures, (int)stats.rank, &own);
}

void figures_plan(Figures *figures, const NacreVm *vm) {
    NacreStats stats = {.struct_size = sizeof stats};
    if (nacre_stats(vm, &stats) != NACRE_OK) return;
    figures->ranks = calloc((size_t)stats.ranks, sizeof *figures->ranks);
    figures->count = figures->ranks ? (int)stats.ranks : 0;
    for (int r = 0; r < figures->count; r++) {
        Text text = {0};
        if (nacre_rank_stats(vm, r, &stats) != NACRE_OK) continue;
        text_puts(&text, "{");
        put_totals(&stats, &text);
        text_puts(&text, "}");
        figures_take(figures, r, &text);
    }
}

void figures_free(Figures *figures) {
    for (int r = 0; r < figures->count; r++) text_free(&figures->ranks[r]);
    free(figures->ranks);
    *figures = (Figures){.wanted = figures->wanted};
}
