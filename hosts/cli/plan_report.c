// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The report of `nacre plan`: a table of lines with totals, as text or JSON.

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "plan.h"
#include "record.h"

typedef struct Totals {
    double work, waiting, alone, messages, bytes;
    uint64_t assumed, gathered;
} Totals;

static Totals total_of(const Planned *planned) {
    Totals t = {0};
    for (size_t i = 0; i < planned->count; i++) {
        const PlanLine *line = &planned->lines[i];
        t.work += line->work;
        t.waiting += line->waiting;
        t.alone += line->alone;
        t.messages += line->messages;
        t.bytes += line->bytes;
        t.assumed += line->assumed;
        t.gathered += line->gathered;
    }
    return t;
}

// Returns the parallel efficiency compared with one rank that does all the work; 0 if there is no array work.
static double efficiency(const Planned *planned, const Totals *t) {
    const double time = t->work + t->waiting;
    return time > 0 ? t->alone / (time * planned->ranks) : 0;
}

static double time_of(const PlanLine *line) {
    return line->work + line->waiting;
}

static int by_time(const void *a, const void *b) {
    const PlanLine *const *one = a, *const *other = b;
    const double x = time_of(*one), y = time_of(*other);
    return x > y ? -1 : x < y ? 1 : (*one)->line - (*other)->line;
}

static int by_place(const void *a, const void *b) {
    const PlanLine *const *one = a, *const *other = b;
    const int files = strcmp((*one)->file ? (*one)->file : "", (*other)->file ? (*other)->file : "");
    return files ? files : (*one)->line - (*other)->line;
}

// Returns the lines that take most time, in the program's order. The caller frees the array; NULL: out of memory.
static const PlanLine **lines_to_show(const Planned *planned, size_t most, size_t *count) {
    const PlanLine **lines = malloc((planned->count + 1) * sizeof *lines);
    if (!lines) return NULL;
    for (size_t i = 0; i < planned->count; i++) lines[i] = &planned->lines[i];
    qsort(lines, planned->count, sizeof *lines, by_time);
    *count = planned->count < most ? planned->count : most;
    qsort(lines, *count, sizeof *lines, by_place);
    return lines;
}

// --- Text --------------------------------------------------------------------------------------------

static void put_seconds(double seconds, Text *out) {
    if (seconds < 1e-3) text_printf(out, "%.1f us", 1e6 * seconds);
    else if (seconds < 1) text_printf(out, "%.2f ms", 1e3 * seconds);
    else text_printf(out, "%.3g s", seconds);
}

static void put_right(Text *out, const Text *cell, size_t width) {
    for (size_t i = cell->len; i < width; i++) text_puts(out, " ");
    text_puts(out, text_string(cell));
}

static void put_bytes_cell(double bytes, size_t width, Text *out) {
    Text cell = {0};
    record_bytes(bytes, &cell);
    put_right(out, &cell, width);
    text_free(&cell);
}

static void put_time_cell(double seconds, size_t width, Text *out) {
    Text cell = {0};
    put_seconds(seconds, &cell);
    put_right(out, &cell, width);
    text_free(&cell);
}

static void put_notes(const PlanLine *line, Text *out) {
    if (line->parts) text_printf(out, "  %s", line->parts);
    if (line->gathered) text_printf(out, "; %" PRIu64 " whole on every rank: %s", line->gathered, line->why);
    if (line->assumed) text_printf(out, "%s%" PRIu64 " values depend on data", line->parts ? "; " : "  ", line->assumed);
}

static void put_place(const PlanLine *line, Text *out) {
    const char *slash = line->file ? strrchr(line->file, '/') : NULL;
    if (line->file) text_printf(out, "%s:%d", slash ? slash + 1 : line->file, line->line);
    else text_puts(out, "(nowhere)");
}

static void put_line(const PlanLine *line, Text *out) {
    const size_t from = out->len;
    put_place(line, out);
    text_pad(out, from, 22);
    text_printf(out, "%8" PRIu64 "%12.4g", line->kernels, line->messages);
    put_bytes_cell(line->rank_bytes, 12, out);
    put_bytes_cell(line->bytes, 12, out);
    put_time_cell(line->work, 12, out);
    put_time_cell(line->waiting, 12, out);
    put_notes(line, out);
    text_puts(out, "\n");
}

static void put_table(const Planned *planned, const PlanEnd *end, Text *out) {
    size_t count = 0;
    const PlanLine **lines = lines_to_show(planned, (size_t)end->most_lines, &count);
    if (!lines) {
        out->failed = true;
        return;
    }
    text_printf(out, "%-22s%8s%12s%12s%12s%12s%12s\n", "line", "kernels", "messages", "rank bytes", "all bytes", "work",
                "waiting");
    for (size_t i = 0; i < count; i++) put_line(lines[i], out);
    if (count < planned->count) text_printf(out, "and %zu lines more (--top)\n", planned->count - count);
    free(lines);
}

static void put_memory(const Planned *planned, const PlanEnd *end, Text *out) {
    const Machine *m = planned->machine;
    const double sharing = planned->ranks < m->node_ranks ? planned->ranks : m->node_ranks;
    text_puts(out, "memory      ");
    record_bytes((double)end->memory_peak, out);
    text_puts(out, " of arrays on a rank at most");
    const double fits = m->node_memory_gigabytes * 1e9 / sharing;
    if (fits > 0 && (double)end->memory_peak > fits) {
        text_puts(out, ": MORE than the ");
        record_bytes(fits, out);
        text_puts(out, " that there are");
    }
    text_puts(out, "\n");
}

// Lists the lines that read unknown elements, whether or not the table shows them.
static void put_assumed(const Planned *planned, uint64_t times, Text *out) {
    enum { MOST = 8 };
    int shown = 0;
    text_printf(out, "assumed     %" PRIu64 " times the program looked at values that nobody has computed, and saw zeros, "
                "or what was there before. What follows from them may be wrong:\n            ", times);
    for (size_t i = 0; i < planned->count; i++) {
        if (!planned->lines[i].assumed) continue;
        if (shown++ == MOST) {
            text_puts(out, ", …");
            break;
        }
        if (shown > 1) text_puts(out, ", ");
        put_place(&planned->lines[i], out);
    }
    text_puts(out, "\n");
}

static void put_totals(const Planned *planned, const PlanEnd *end, Text *out) {
    const Totals t = total_of(planned);
    text_puts(out, "\ntime        ");
    put_seconds(t.work + t.waiting, out);
    text_puts(out, " (work ");
    put_seconds(t.work, out);
    text_puts(out, ", waiting ");
    put_seconds(t.waiting, out);
    text_puts(out, "); on one rank ");
    put_seconds(t.alone, out);
    text_printf(out, ", efficiency %.1f %%\n", 100 * efficiency(planned, &t));
    put_memory(planned, end, out);
    text_printf(out, "messages    %.6g, of a rank at most %" PRIu64 " received, ", t.messages, end->rank_messages);
    record_bytes((double)end->rank_bytes, out);
    text_puts(out, "\n");
    if (t.gathered)
        text_printf(out, "gathered    %" PRIu64 " kernels are done whole by every rank though operands are distributed\n",
                    t.gathered);
    if (t.assumed) put_assumed(planned, t.assumed, out);
    if (end->error) text_printf(out, "NOT ALL     the program ended with %s: this is what came before\n", end->error);
}

void plan_put_text(const Planned *planned, const PlanEnd *end, Text *out) {
    text_printf(out, "%s on %d ranks of %s\n\n", end->script, planned->ranks, text_string(&planned->machine->name));
    put_table(planned, end, out);
    put_totals(planned, end, out);
}

// --- JSON --------------------------------------------------------------------------------------------

static void json_put_line(const PlanLine *line, Text *out) {
    text_puts(out, "{\"file\": ");
    json_put_string(line->file ? line->file : "", out);
    text_printf(out, ", \"line\": %d, \"kernels\": %" PRIu64 ", \"kernels_shared\": %" PRIu64
                ", \"kernels_gathered\": %" PRIu64 ", \"exchanges\": %" PRIu64 ", \"gathers\": %" PRIu64
                ", \"broadcasts\": %" PRIu64 ", \"assumed\": %" PRIu64, line->line, line->kernels, line->shared,
                line->gathered, line->exchanges, line->gathers, line->broadcasts, line->assumed);
    text_printf(out, ", \"messages\": %.17g, \"bytes\": %.17g, \"rank_bytes\": %.17g, \"work_seconds\": %.9g, "
                "\"message_seconds\": %.9g, \"alone_seconds\": %.9g, \"parts\": ", line->messages, line->bytes,
                line->rank_bytes, line->work, line->waiting, line->alone);
    json_put_string(line->parts ? line->parts : "", out);
    text_puts(out, ", \"why_gathered\": ");
    json_put_string(line->why ? line->why : "", out);
    text_puts(out, "}");
}

void plan_put_json(const Planned *planned, const PlanEnd *end, Text *out) {
    const Totals t = total_of(planned);
    const NacreStats *s = &end->stats;
    text_puts(out, "{\n  \"script\": ");
    json_put_string(end->script, out);
    text_printf(out, ",\n  \"ranks\": %d,\n  \"machine\": ", planned->ranks);
    json_put_string(text_string(&planned->machine->name), out);
    text_puts(out, ",\n  \"error\": ");
    if (end->error) json_put_string(end->error, out);
    else text_puts(out, "null");
    text_printf(out, ",\n  \"seconds\": %.9g,\n  \"work_seconds\": %.9g,\n  \"message_seconds\": %.9g,\n"
                "  \"alone_seconds\": %.9g,\n  \"efficiency\": %.9g,\n", t.work + t.waiting, t.work, t.waiting, t.alone,
                efficiency(planned, &t));
    text_printf(out, "  \"memory_peak\": %" PRIu64 ",\n  \"messages\": %.17g,\n  \"bytes\": %.17g,\n"
                "  \"rank_messages_received\": %" PRIu64 ",\n  \"rank_bytes_received\": %" PRIu64 ",\n", end->memory_peak,
                t.messages, t.bytes, end->rank_messages, end->rank_bytes);
    text_printf(out, "  \"kernels_shared\": %" PRIu64 ",\n  \"kernels_gathered\": %" PRIu64 ",\n  \"arrays_gathered\": %"
                PRIu64 ",\n  \"array_exchanges\": %" PRIu64 ",\n  \"assumed\": %" PRIu64 ",\n  \"lines\": [",
                s->kernels_shared, s->kernels_gathered, s->arrays_gathered, s->array_exchanges, t.assumed);
    for (size_t i = 0; i < planned->count; i++) {
        text_puts(out, i ? ",\n    " : "\n    ");
        json_put_line(&planned->lines[i], out);
    }
    text_puts(out, "\n  ]\n}\n");
}
