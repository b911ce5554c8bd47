// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The report of `nacre profile`: the time of array work by line and by kernel, and how close it comes to the machine's
// limits.

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "roof.h"
#include "source.h"

enum { LINE_WIDTH = 44, FIGURES_WIDTH = 53, KERNELS_SHOWN = 12 };

// Figures of a line or of a kernel.
typedef struct Sum {
    double seconds, bytes, operations;
    double least; // seconds that the machine needs at least, by the roofline model
    uint64_t kernels;
} Sum;

typedef struct Report {
    const Record *record;
    Roof roof;
    const char *device; // name of a backend with a device, whose roof is not measured; or NULL
    const char *code; // text of a program that is not in a file, or NULL
    bool on_ranks;
    double total; // seconds of the whole run
    Text *out;
} Report;

// --- Sums --------------------------------------------------------------------------------------

static double least_seconds(const Report *r, double bytes, double operations) {
    double memory = r->roof.bytes > 0 ? bytes / r->roof.bytes : 0;
    double arithmetic = r->roof.operations > 0 ? operations / r->roof.operations : 0;
    return memory > arithmetic ? memory : arithmetic;
}

static void add_kernel(const Report *r, const RecordKernel *kernel, double part, Sum *sum) {
    double bytes = kernel->bytes_read + kernel->bytes_written;
    sum->seconds += part * kernel->seconds;
    sum->bytes += part * bytes;
    sum->operations += part * kernel->operations;
    sum->least += part * least_seconds(r, bytes, kernel->operations);
    sum->kernels += kernel->runs;
}

// Sums up the kernels of a line. A kernel of several lines is divided among them by their numbers of operations.
static Sum sum_of_line(const Report *r, int file, int line) {
    Sum sum = {0};
    for (size_t k = 0; k < r->record->kernel_count; k++) {
        const RecordKernel *kernel = &r->record->kernels[k];
        int own = 0;
        for (int i = 0; i < kernel->site_count; i++)
            own += kernel->sites[i].file == file && kernel->sites[i].line == line;
        if (own) add_kernel(r, kernel, (double)own / kernel->site_count, &sum);
    }
    return sum;
}

// --- Rows --------------------------------------------------------------------------------------

// Appends a time, right-aligned; the unit takes two columns.
static void put_seconds(double seconds, int width, Text *out) {
    const char *unit = seconds >= 1 ? "s " : seconds >= 1e-3 ? "ms" : "µs";
    double scale = seconds >= 1 ? 1 : seconds >= 1e-3 ? 1e3 : 1e6;
    text_printf(out, "%*.3f %s", width, scale * seconds, unit);
}

// Appends a rate in units of 10^9 per second.
static void put_rate(double amount, double seconds, Text *out) {
    if (amount > 0 && seconds > 0) text_printf(out, " %8.2f", amount / seconds / 1e9);
    else text_puts(out, "        –");
}

static void put_figures(const Report *r, const Sum *sum, Text *out) {
    Text bytes = {0};
    record_bytes(sum->bytes, &bytes);
    text_printf(out, " %5.1f%% %9s", r->total > 0 ? 100 * sum->seconds / r->total : 0,
                text_string(&bytes));
    text_free(&bytes);
    put_rate(sum->bytes, sum->seconds, out);
    put_rate(sum->operations, sum->seconds, out);
    if (sum->least > 0 && sum->seconds > 0)
        text_printf(out, " %5.0f%%", 100 * sum->least / sum->seconds);
    else text_puts(out, "      –");
}

// Appends which part of the run the line spent in collective steps, including waiting.
static void put_waiting(const Report *r, const NacreRankLine *ranks) {
    const double seconds = ranks ? ranks->seconds : 0;
    if (seconds > 0 && r->total > 0) text_printf(r->out, " %5.1f%%", 100 * seconds / r->total);
    else text_puts(r->out, "      –");
}

// Appends the row of a line. Direct operations are not timed, so they are only counted.
static void put_line(const Report *r, int file, const Source *source, int line) {
    Sum sum = sum_of_line(r, file, line);
    uint64_t direct = record_direct_count(r->record, file, line);
    text_printf(r->out, "%6d  ", line);
    source_put(source, line, LINE_WIDTH, r->out);
    text_puts(r->out, " ");
    if (sum.kernels) {
        put_seconds(sum.seconds, 8, r->out);
        put_figures(r, &sum, r->out);
    } else {
        text_printf(r->out, "%*s", FIGURES_WIDTH, "");
    }
    text_printf(r->out, " %8" PRIu64, sum.kernels);
    if (direct) text_printf(r->out, " %8" PRIu64, direct);
    else if (r->record->direct && r->on_ranks) text_printf(r->out, " %8s", "");
    if (r->on_ranks) put_waiting(r, record_ranks(r->record, file, line));
    text_puts(r->out, "\n");
}

static void put_file(const Report *r, int file) {
    int count;
    int *lines = record_all_lines(r->record, file, &count);
    Source source;
    source_open(&source, r->record->files[file], *r->record->files[file] == '<' ? r->code : NULL);
    if (count) {
        text_printf(r->out, "\n%s\n%6s  %-*s %11s %6s %9s %8s %8s %6s %8s%s%s\n", source.name, "line",
                    LINE_WIDTH, "", "time   ", "share", "bytes", "GB/s", "Gop/s", "roof",
                    "kernels", r->record->direct ? "   direct" : "", r->on_ranks ? "  ranks" : "");
        for (int i = 0; i < count; i++) put_line(r, file, &source, lines[i]);
    }
    source_close(&source);
    free(lines);
}

// --- Kernels -----------------------------------------------------------------------------------

static const Record *sorted; // for the comparison of qsort; reports are made by one thread only

static int by_seconds(const void *a, const void *b) {
    double x = sorted->kernels[*(const size_t *)a].seconds,
           y = sorted->kernels[*(const size_t *)b].seconds;
    return (x < y) - (x > y);
}

static void put_kernel(const Report *r, const RecordKernel *kernel) {
    Sum sum = {0};
    add_kernel(r, kernel, 1, &sum);
    size_t from = r->out->len;
    text_puts(r->out, "  ");
    for (int file = 0; file < r->record->file_count; file++) record_lines(kernel, file, r->out);
    text_pad(r->out, from, 12);
    from = r->out->len;
    Text what = {0};
    record_work(kernel, &what);
    text_put_cut(text_string(&what), what.len, LINE_WIDTH - 5, r->out);
    text_free(&what);
    text_puts(r->out, "  ");
    put_seconds(kernel->seconds / (double)kernel->runs, 8, r->out);
    put_figures(r, &sum, r->out);
    text_printf(r->out, " %8" PRIu64 "\n", kernel->runs);
}

static void put_kernels(const Report *r) {
    size_t count = r->record->kernel_count, shown = count < KERNELS_SHOWN ? count : KERNELS_SHOWN;
    size_t *order = malloc((count + 1) * sizeof *order);
    if (!order) return;
    for (size_t i = 0; i < count; i++) order[i] = i;
    sorted = r->record;
    qsort(order, count, sizeof *order, by_seconds);
    text_printf(r->out, "\n  %-9s %-*s  %11s %6s %9s %8s %8s %6s %8s\n", "kernels", LINE_WIDTH - 5,
                "", "each   ", "share", "bytes", "GB/s", "Gop/s", "roof", "runs");
    for (size_t i = 0; i < shown; i++) put_kernel(r, &r->record->kernels[order[i]]);
    if (shown < count) text_printf(r->out, "  … and %zu more that took less\n", count - shown);
    free(order);
}

static void put_head(const Report *r) {
    double inside = 0;
    for (size_t k = 0; k < r->record->kernel_count; k++) inside += r->record->kernels[k].seconds;
    put_seconds(r->total, 0, r->out);
    text_puts(r->out, " in all, of which ");
    put_seconds(inside, 0, r->out);
    text_printf(r->out, " (%.0f%%) in kernels\n", r->total > 0 ? 100 * inside / r->total : 0);
    if (r->device) {
        text_printf(r->out, "on backend %s, whose roof is not measured\n", r->device);
        return;
    }
    text_printf(r->out,
                "the machine, %d thread%s: %.1f GB/s (triad), %.1f Gop/s (float64, fused)\n",
                r->roof.threads, r->roof.threads == 1 ? "" : "s", r->roof.bytes / 1e9,
                r->roof.operations / 1e9);
}

static void put_ranks(const Report *r, const NacreStats *stats) {
    text_printf(r->out, "rank %" PRIu64 " of %" PRIu64 ": ", stats->rank, stats->ranks);
    const double waited = stats->seconds_with_ranks - r->record->waited_before;
    put_seconds(waited, 0, r->out);
    text_printf(r->out, " (%.0f%%) in steps with the others, waiting for them too\n",
                r->total > 0 ? 100 * waited / r->total : 0);
}

void profile_put(const NacreVm *vm, const Record *record, double seconds, const char *backend, const char *code, Text *out) {
    const char *device = backend && *backend && strcmp(backend, "cpu") != 0 ? backend : NULL;
    NacreStats stats = {.struct_size = sizeof stats, .threads = 1};
    nacre_stats(vm, &stats);
    const Report report = {.record = record, .roof = device ? (Roof){0} : roof_measure((int)stats.threads), .device = device, .code = code, .on_ranks = stats.ranks > 1,
                           .total = seconds, .out = out};
    const Report *r = &report;
    put_head(r);
    if (r->on_ranks) put_ranks(r, &stats);
    for (int file = 0; file < r->record->file_count; file++) put_file(r, file);
    if (r->record->kernel_count) put_kernels(r);
    if (r->record->failed || r->out->failed)
        text_puts(r->out, "(memory ran out: something is missing)\n");
}
