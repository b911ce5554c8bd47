// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The command `nacre profile`: runs a script, and reports where the time of its array work went.

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "json.h"
#include "report.h"
#include "roof.h"

// --- Chrome's trace ----------------------------------------------------------------------------

static void put_lines_of(const Record *record, const RecordKernel *kernel, Text *out) {
    Text lines = {0};
    for (int file = 0; file < record->file_count; file++) {
        Text own = {0};
        record_lines(kernel, file, &own);
        if (own.len)
            text_printf(&lines, "%s%s: %s", lines.len ? "; " : "", record->files[file], own.bytes);
        text_free(&own);
    }
    json_put_string(text_string(&lines), out);
    text_free(&lines);
}

static void put_span(const Record *record, const RecordSpan *span, double from, Text *out) {
    const RecordKernel *kernel = &record->kernels[span->kernel];
    Text name = {0};
    record_operations(kernel, &name);
    text_puts(out, ",\n{\"name\": ");
    json_put_string(text_string(&name), out);
    text_printf(
        out,
        ", \"cat\": \"%s\", \"ph\": \"X\", \"pid\": 1, \"tid\": 1, \"ts\": %.3f, \"dur\": %.3f, "
        "\"args\": {\"lines\": ",
        kernel->library ? "library" : "loop", 1e6 * (span->begin - from), 1e6 * span->seconds);
    put_lines_of(record, kernel, out);
    text_puts(out, ", \"reads\": ");
    json_put_string(kernel->reads ? kernel->reads : "", out);
    text_puts(out, ", \"writes\": ");
    json_put_string(kernel->writes ? kernel->writes : "", out);
    text_printf(out, ", \"bytes\": %.0f, \"operations\": %.0f}}",
                (kernel->bytes_read + kernel->bytes_written) / (double)kernel->runs,
                kernel->operations / (double)kernel->runs);
    text_free(&name);
}

static int write_trace(const Record *record, const char *script, double from, const char *path) {
    Text out = {0};
    text_puts(&out,
              "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [\n"
              "{\"name\": \"process_name\", \"ph\": \"M\", \"pid\": 1, \"args\": {\"name\": ");
    json_put_string(script, &out);
    text_puts(&out, "}},\n{\"name\": \"thread_name\", \"ph\": \"M\", \"pid\": 1, \"tid\": 1, "
                    "\"args\": {\"name\": \"kernels\"}}");
    for (size_t i = 0; i < record->span_count; i++) put_span(record, &record->spans[i], from, &out);
    text_puts(&out, "\n]}\n");
    FILE *file = out.failed ? NULL : fopen(path, "w");
    bool done = file && fwrite(out.bytes, 1, out.len, file) == out.len;
    if (file && fclose(file) != 0) done = false;
    if (!done)
        fprintf(stderr, "nacre profile: %s: %s\n", path,
                out.failed ? "out of memory" : strerror(errno));
    text_free(&out);
    return done ? 0 : 1;
}

// --- All of it ---------------------------------------------------------------------------------

// Prints which part of the run each rank spent in collective steps. The rank that waits least is the one that the
// others wait for. `shown`: seconds of the run in which rank 0 wrote the profile, and the others waited for it.
static void put_waits(const Figures *figures, double seconds, double shown, Text *out) {
    text_puts(out, "\nsteps with other ranks, of the run:");
    for (int r = 0; r < figures->count; r++) {
        Json json = {0};
        const char *problem;
        int line;
        const bool read = figures->ranks[r].len && json_read(figures->ranks[r].bytes, figures->ranks[r].len, &json, &problem, &line);
        const Json *waited = read ? json_get(&json, "seconds_with_ranks") : NULL;
        double spent = waited ? waited->number - (r ? shown : 0) : 0;
        if (spent < 0) spent = 0;
        if (waited && seconds > shown)
            text_printf(out, "%s rank %d: %.0f%%", r ? "," : "", r, 100 * spent / (seconds - shown));
        json_free(&json);
    }
    text_puts(out, "\n");
}

int cli_profile(Cli *cli, int count, char **argv) {
    const char *trace = NULL;
    int at = 1;
    for (; at < count && argv[at][0] == '-' && argv[at][1]; at += 2) {
        if (strcmp(argv[at], "--trace") != 0 || at + 1 == count) {
            fprintf(stderr, "nacre profile: bad option %s\n", argv[at]);
            return 2;
        }
        trace = argv[at + 1];
    }
    if (at >= count) {
        fputs("nacre profile: which script?\n", stderr);
        return 2;
    }
    Record record = {.keep_spans = trace};
    Text out = {0};
    NacreVm *vm = cli_start(cli, count - at, argv + at);
    if (!vm) return cli->start_status;
    if (!record_start(&record, vm, false)) fputs("nacre profile: out of memory\n", stderr);
    double begin = seconds_now();
    NacreStatus ran = cli_run_file(cli, vm, argv[at]);
    double seconds = seconds_now() - begin;
    record_take_ranks(&record);
    if (!cli->follows) profile_put(vm, &record, seconds, cli->backend, NULL, &out);
    const double shown = seconds_now() - begin - seconds;
    cli->figures.wanted = true; // must be equal on all ranks, since collecting the figures is collective
    int code = cli_finish(cli, vm, ran);
    if (cli->figures.count > 1) put_waits(&cli->figures, seconds_now() - begin, shown, &out);
    cli_write(NULL, 2, text_string(&out), out.len);
    int status = trace && !cli->follows ? write_trace(&record, argv[at], begin, trace) : 0;
    text_free(&out);
    record_free(&record);
    return code ? code : status;
}
