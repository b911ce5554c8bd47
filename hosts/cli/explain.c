// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The report of `nacre --explain`: how each line's array work was run. First come the lines, with letters for the
// kernels that they are part of, then the kernels.

#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "source.h"

enum { LINE_WIDTH = 58, WHAT_WIDTH = 60 };

// Appends a kernel's letters: A … Z, AA, AB …
static void put_letters(size_t number, Text *out) {
    char letters[16];
    size_t at = sizeof letters;
    for (number++; number; number = (number - 1) / 26)
        letters[--at] = (char)('A' + (number - 1) % 26);
    text_add(out, letters + at, sizeof letters - at);
}

// --- Lines -------------------------------------------------------------------------------------

static bool is_of_line(const RecordKernel *kernel, int file, int line) {
    for (int i = 0; i < kernel->site_count; i++)
        if (kernel->sites[i].file == file && kernel->sites[i].line == line) return true;
    return false;
}

// Appends the direct operations of a line: "· direct: add ×3, multiply".
static void put_direct(const Record *record, int file, int line, Text *out) {
    const char *between = "          · direct: ";
    for (size_t i = 0; i < record->direct_count; i++) {
        const RecordDirect *direct = &record->directs[i];
        if (direct->file != file || direct->line != line) continue;
        text_printf(out, "%s%s", between, direct->operation);
        if (direct->count > 1) text_printf(out, " ×%" PRIu64, direct->count);
        between = ", ";
    }
    if (*between == ',') text_puts(out, "\n");
}

static void put_line(const Record *record, int file, const Source *source, int line, Text *out) {
    size_t from = out->len, shown = 0, most = 8;
    text_printf(out, "%6d  ", line);
    source_put(source, line, LINE_WIDTH, out);
    text_puts(out, " ");
    for (size_t k = 0; k < record->kernel_count; k++) {
        if (!is_of_line(&record->kernels[k], file, line)) continue;
        if (shown++ == most) text_puts(out, " …");
        if (shown > most) continue;
        text_puts(out, " ");
        put_letters(k, out);
    }
    text_puts(out, "\n");
    for (size_t r = 0; r < record->reason_count; r++) {
        const RecordReason *reason = &record->reasons[r];
        if (reason->file != file || reason->line != line) continue;
        from = out->len;
        text_pad(out, from, 10);
        text_printf(out, "· apart: %s\n", reason->text);
    }
    put_direct(record, file, line, out);
    const NacreRankLine *ranks = record_ranks(record, file, line);
    if (!ranks) return;
    text_puts(out, "          · ranks: ");
    record_put_ranks(ranks, out);
    text_puts(out, "\n");
}

static void put_file(const Record *record, int file, const char *code, Text *out) {
    int count;
    int *lines = record_all_lines(record, file, &count);
    const char *name = record->files[file];
    Source source;
    source_open(&source, name, *name == '<' ? code : NULL);
    if (count) text_printf(out, "%s%s\n  line\n", file ? "\n" : "", name);
    for (int i = 0; i < count; i++) put_line(record, file, &source, lines[i], out);
    source_close(&source);
    free(lines);
}

// --- Kernels -----------------------------------------------------------------------------------

static void put_what(const RecordKernel *kernel, Text *out) {
    record_work(kernel, out);
    if (kernel->on_host) text_puts(out, " (on the host)");
    if (kernel->band_rows) text_printf(out, " (in bands of %" PRId64 " rows)", kernel->band_rows);
}

static void put_views(const RecordKernel *kernel, Text *out) {
    text_printf(out, "%s → %s%s", *kernel->reads ? kernel->reads : "–", *kernel->writes ? kernel->writes : "–",
                kernel->varies ? " at first" : "");
}

static void put_bytes(const RecordKernel *kernel, Text *out) {
    record_bytes((kernel->bytes_read + kernel->bytes_written) / (double)kernel->runs, out);
}

static void put_all_lines(const Record *record, const RecordKernel *kernel, Text *out) {
    for (int file = 0; file < record->file_count; file++) record_lines(kernel, file, out);
}

typedef struct Widths {
    size_t lines, what;
} Widths;

static void widen(size_t *width, Text *text, size_t most) {
    size_t is = text_width(text_string(text), text->len);
    if (is > most) is = most;
    if (is > *width) *width = is;
    text_clear(text);
}

static void put_kernel(const Record *record, size_t number, const Widths *widths, Text *out) {
    const RecordKernel *kernel = &record->kernels[number];
    size_t from = out->len;
    text_puts(out, "  ");
    put_letters(number, out);
    text_pad(out, from, 10);
    from = out->len;
    put_all_lines(record, kernel, out);
    text_pad(out, from, widths->lines);
    Text bytes = {0};
    put_bytes(kernel, &bytes);
    text_printf(out, "  %7" PRIu64 " %6" PRIu64 "  %9s  ", kernel->runs, kernel->made,
                text_string(&bytes));
    text_free(&bytes);
    Text what = {0};
    put_what(kernel, &what);
    text_put_cut(text_string(&what), what.len, widths->what, out);
    text_free(&what);
    text_puts(out, "  ");
    put_views(kernel, out);
    text_puts(out, "\n");
}

static void put_kernels(const Record *record, Text *out) {
    Widths widths = {5, 4};
    Text text = {0};
    for (size_t k = 0; k < record->kernel_count; k++) {
        put_all_lines(record, &record->kernels[k], &text);
        widen(&widths.lines, &text, SIZE_MAX);
        put_what(&record->kernels[k], &text);
        widen(&widths.what, &text, WHAT_WIDTH);
    }
    text_free(&text);
    text_puts(out, "\n  kernel  ");
    size_t from = out->len;
    text_puts(out, "lines");
    text_pad(out, from, widths.lines);
    text_printf(out, "  %7s %6s  %9s  %-*s  %s\n", "runs", "made", "bytes/run", (int)widths.what,
                "work", "reads → writes");
    for (size_t k = 0; k < record->kernel_count; k++) put_kernel(record, k, &widths, out);
}

// --- All of it ---------------------------------------------------------------------------------

static void put_count(uint64_t count, const char *what, Text *out) {
    text_printf(out, "%" PRIu64 " %s%s", count, what, count == 1 ? "" : "s");
}

static void put_direct_total(const Record *record, Text *out) {
    if (!record->direct) return;
    text_puts(out, record->kernel_count ? "; " : "\n");
    put_count(record->direct, "operation", out);
    text_puts(out, " on few elements done directly");
}

static void put_summary(const Record *record, Text *out) {
    double bytes = 0;
    for (size_t k = 0; k < record->kernel_count; k++)
        bytes += record->kernels[k].bytes_read + record->kernels[k].bytes_written;
    text_puts(out, "\n");
    put_count(record->launched, "kernel", out);
    text_puts(out, " in ");
    put_count(record->plans, "plan", out);
    text_printf(out, ": %" PRIu64 " made, %" PRIu64 " reused", record->plans_made,
                record->plans_reused);
    if (record->plans_single)
        text_printf(out, ", %" PRIu64 " with nothing to be fused", record->plans_single);
    text_puts(out, "; ");
    record_bytes(bytes, out);
    text_puts(out, " read and written");
    if (record->dropped) {
        text_puts(out, "; ");
        put_count(record->dropped, "operation", out);
        text_puts(out, " dropped, as nobody looked");
    }
    put_direct_total(record, out);
    text_puts(out, "\n");
}

// --- Loops -------------------------------------------------------------------------------------

static void put_loop(const NacreLoop *loop, Text *out) {
    const char *name = strrchr(loop->file, '/');
    text_printf(out, "  %s:%" PRIu32 ": ", name ? name + 1 : loop->file, loop->line);
    bool late = loop->variants && !loop->why;
    if (loop->compiled == 0) text_puts(out, late ? "interpreted, its code was not there in time" : "interpreted");
    else text_printf(out, "machine code, %" PRIu64 " rounds in %" PRIu64 " goes", loop->rounds, loop->entered);
    if (loop->why) text_printf(out, "; line %" PRIu32 " left to the interpreter%s: %s", loop->why_line,
                               loop->compiled && loop->left > 1 ? " again and again" : "", loop->why);
    text_puts(out, "\n");
    if (loop->device_rounds > 0)
        text_printf(out, "    line %" PRIu32 " in kernels of the device: %" PRIu64 " rounds\n", loop->device_line,
                    loop->device_rounds);
    if (loop->rank_rounds > 0)
        text_printf(out, "    line %" PRIu32 " shared by ranks: %" PRIu64 " rounds on rank 0\n", loop->rank_line, loop->rank_rounds);
    if (loop->parallel_rounds > 0)
        text_printf(out, "    line %" PRIu32 " in parallel: %" PRIu64 " rounds on %" PRIu32 " threads\n", loop->parallel_line,
                    loop->parallel_rounds, loop->threads);
    else if (loop->compiled && loop->serial && loop->device_rounds == 0 && loop->rank_rounds == 0)
        text_printf(out, "    line %" PRIu32 " not in parallel: %s\n", loop->serial_line, loop->serial);
}

static void put_loops(const NacreVm *vm, Text *out) {
    NacreLoop loop = {.struct_size = sizeof loop};
    for (int i = 0; nacre_loop(vm, i, &loop) == NACRE_OK; i++) {
        if (i == 0) text_puts(out, "\nloops\n");
        put_loop(&loop, out);
    }
}

// --- Detours -----------------------------------------------------------------------------------

static void put_detours(const NacreVm *vm, Text *out) {
    NacreDetour detour = {.struct_size = sizeof detour};
    for (int i = 0; nacre_detour(vm, i, &detour) == NACRE_OK; i++) {
        const char *name = detour.file ? strrchr(detour.file, '/') : NULL;
        if (i == 0) text_puts(out, "\nnot as the options ask\n");
        text_printf(out, "  %s:%" PRIu32 ": %s", name ? name + 1 : detour.file ? detour.file : "", detour.line, detour.text);
        if (detour.count > 1) text_printf(out, ", %" PRIu64 " times", detour.count);
        text_puts(out, "\n");
    }
}

// --- Source ------------------------------------------------------------------------------------

static void put_sources(NacreVm *vm, Text *out) {
    NacreLoop loop = {.struct_size = sizeof loop};
    for (int i = 0; nacre_loop(vm, i, &loop) == NACRE_OK; i++)
        for (int variant = 0; variant < (int)loop.variants; variant++) {
            Text code = {0};
            if (nacre_loop_source(vm, i, variant, text_write, &code) == NACRE_OK)
                text_printf(out, "\n// loop of line %" PRIu32 " of %s", loop.line, loop.file);
            text_add(out, text_string(&code), code.len);
            text_free(&code);
        }
    NacreStatus status = NACRE_OK;
    for (int i = 0; status == NACRE_OK; i++)
        status = nacre_kernel_source(vm, i, text_write, out);
}

void explain_put(NacreVm *vm, const Record *record, const char *code, bool source, Text *out) {
    if (record->kernel_count + record->direct_count + record->rank_count == 0) text_puts(out, "no array work\n");
    for (int file = 0; file < record->file_count; file++) put_file(record, file, code, out);
    if (record->kernel_count) {
        put_kernels(record, out);
        put_summary(record, out);
    } else if (record->direct) {
        put_direct_total(record, out);
        text_puts(out, "\n");
    }
    put_loops(vm, out);
    put_detours(vm, out);
    if (source) put_sources(vm, out);
    if (out->failed || record->failed) text_puts(out, "(memory ran out: something is missing)\n");
}
