// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The command `nacre plan`: a dry run of a script on many ranks.

#include "plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- Collecting --------------------------------------------------------------------------------------

static bool is_at(const PlanLine *line, const NacreDryStep *step) {
    if (line->line != step->line || !line->file != !step->file) return false;
    return !line->file || strcmp(line->file, step->file) == 0;
}

static PlanLine *add_line(Planned *planned, const NacreDryStep *step) {
    if (planned->count == planned->cap) {
        const size_t cap = planned->cap ? 2 * planned->cap : 32;
        PlanLine *more = realloc(planned->lines, cap * sizeof *more);
        if (!more) return NULL;
        planned->lines = more;
        planned->cap = cap;
    }
    PlanLine *line = &planned->lines[planned->count];
    *line = (PlanLine){.line = step->line};
    if (step->file && !(line->file = strdup(step->file))) return NULL;
    planned->last = planned->count++;
    return line;
}

static PlanLine *line_of(Planned *planned, const NacreDryStep *step) {
    if (planned->last < planned->count && is_at(&planned->lines[planned->last], step))
        return &planned->lines[planned->last];
    for (size_t i = 0; i < planned->count; i++) {
        if (!is_at(&planned->lines[i], step)) continue;
        planned->last = i;
        return &planned->lines[i];
    }
    return add_line(planned, step);
}

static void put_shape(const NacreDryStep *step, Text *out) {
    text_puts(out, "(");
    for (int d = 0; d < step->ndim; d++) text_printf(out, "%s%lld", d ? ", " : "", (long long)step->shape[d]);
    text_puts(out, step->ndim == 1 ? ",)" : ")");
}

// Describes how a kernel is cut: "dimension 0 of (2800, 2800), 4 parts". The caller frees the text; NULL: out of
// memory.
static char *describe_parts(const NacreDryStep *step) {
    Text text = {0};
    if (step->is_shared) {
        if (step->dimension < 0) text_puts(&text, "boxes of ");
        else text_printf(&text, "dimension %d of ", step->dimension);
        put_shape(step, &text);
        text_printf(&text, ", %lld part%s", (long long)step->parts, step->parts == 1 ? "" : "s");
    } else {
        put_shape(step, &text);
        text_puts(&text, " on every rank");
    }
    char *copy = text.failed ? NULL : strdup(text_string(&text));
    text_free(&text);
    return copy;
}

// Takes what the kernel hides of the exchanges before it off the time that their line waits.
static void hide(Planned *planned, const NacreDryStep *step, double time) {
    const double hidden = step->inner * time < planned->hidden_most ? step->inner * time : planned->hidden_most;
    planned->hidden_most -= hidden;
    if (hidden > 0) planned->lines[planned->hidden_line].waiting -= hidden;
    if (step->inner <= 0) planned->hidden_most = 0;
    planned->in_kernels = true;
}

static void add_kernel(Planned *planned, PlanLine *line, const NacreDryStep *step) {
    const double time = model_kernel(planned->machine, planned->ranks, step);
    line->kernels++;
    line->shared += step->is_shared != 0;
    line->gathered += step->why != NULL;
    if (step->why) line->why = step->why;
    line->work += time;
    hide(planned, step, time);
    line->alone += model_kernel_alone(planned->machine, planned->ranks, step);
    if (line->parts && time <= line->parts_time) return;
    char *parts = describe_parts(step);
    if (!parts) return;
    free(line->parts);
    line->parts = parts;
    line->parts_time = time;
}

static void add_exchange(Planned *planned, PlanLine *line, const NacreDryStep *step) {
    line->exchanges++;
    line->messages += (double)step->messages;
    line->bytes += (double)step->message_bytes;
    line->rank_bytes += (double)step->received;
    line->waiting += model_exchange(planned->machine, step);
    if (planned->in_kernels || planned->hidden_line != (size_t)(line - planned->lines)) planned->hidden_most = 0;
    planned->in_kernels = false;
    planned->hidden_most += model_exchange_idle(planned->machine, step);
    planned->hidden_line = (size_t)(line - planned->lines);
}

// Adds a collective step. Messages are counted as the transports "loopback" and "mpi" count them: for a gather one from
// each rank to each other rank, for a broadcast one to each other rank.
static void add_collective(const Planned *planned, PlanLine *line, const NacreDryStep *step) {
    const double bytes = (double)step->bytes, others = planned->ranks - 1;
    const bool gathers = step->kind == NACRE_DRY_GATHER;
    const double messages = gathers ? others * planned->ranks : others;
    line->gathers += gathers;
    line->broadcasts += !gathers;
    line->messages += messages;
    line->bytes += messages * bytes;
    line->rank_bytes += gathers ? others * bytes : bytes;
    line->waiting += gathers ? model_gather(planned->machine, planned->ranks, bytes)
                             : model_broadcast(planned->machine, planned->ranks, bytes);
}

void planned_step(void *ctx, const NacreDryStep *step) {
    Planned *planned = ctx;
    PlanLine *line = planned->ended ? NULL : line_of(planned, step);
    if (planned->ended) return;
    planned->failed |= !line;
    if (!line) return;
    if (step->kind != NACRE_DRY_KERNEL && step->kind != NACRE_DRY_EXCHANGE) planned->hidden_most = 0;
    switch (step->kind) {
    case NACRE_DRY_KERNEL: add_kernel(planned, line, step); break;
    case NACRE_DRY_EXCHANGE: add_exchange(planned, line, step); break;
    case NACRE_DRY_GATHER:
    case NACRE_DRY_BROADCAST: add_collective(planned, line, step); break;
    case NACRE_DRY_ASSUMED: line->assumed++; break;
    }
}

void planned_free(Planned *planned) {
    for (size_t i = 0; i < planned->count; i++) {
        free(planned->lines[i].file);
        free(planned->lines[i].parts);
    }
    free(planned->lines);
}

// --- The command -------------------------------------------------------------------------------------

typedef struct Asked {
    const char *machine, *json;
    long top;
    int at; // index of the script in argv
} Asked;

static int refuse(const char *what, const char *arg) {
    fprintf(stderr, "nacre plan: %s%s%s\n", what, arg ? " " : "", arg ? arg : "");
    return 2;
}

static bool parse_positive(const char *text, long *out) {
    char *end;
    errno = 0;
    *out = strtol(text, &end, 10);
    return *text && !*end && errno == 0 && *out >= 1;
}

// Sets an option with a value. Returns 0, or the exit status after printing an error.
static int take(Cli *cli, Asked *asked, const char *name, const char *value) {
    if (strcmp(name, "--ranks") == 0 || strcmp(name, "-n") == 0) {
        long ranks;
        if (!parse_positive(value, &ranks) || !cli_set_option(cli, "ranks", value, ORIGIN_ARGUMENT))
            return refuse("a number of ranks, at least 1, is wanted by", name);
        return 0;
    }
    if (strcmp(name, "--top") == 0)
        return parse_positive(value, &asked->top) ? 0 : refuse("a number of lines, at least 1, is wanted by", name);
    if (strcmp(name, "--split-least") == 0)
        return cli_set_option(cli, name + 2, value, ORIGIN_ARGUMENT) ? 0 : refuse("a size is wanted by", name);
    if (strcmp(name, "--machine") == 0) asked->machine = value;
    else if (strcmp(name, "--json") == 0) asked->json = value;
    else return refuse("unknown option", name);
    return 0;
}

static int read_arguments(Cli *cli, Asked *asked, int count, char **argv) {
    for (asked->at = 1; asked->at < count; asked->at++) {
        char *arg = argv[asked->at], *equals = strchr(arg, '=');
        if (arg[0] != '-' || !arg[1]) break;
        const bool joined = strncmp(arg, "--", 2) == 0 && equals;
        if (!joined && asked->at + 1 == count) return refuse("a value is wanted by", arg);
        if (joined) *equals = '\0';
        const int status = take(cli, asked, arg, joined ? equals + 1 : argv[++asked->at]);
        if (status) return status;
    }
    if (asked->at >= count) return refuse("which script?", NULL);
    if (cli->rank_count < 1) return refuse("on how many ranks? (--ranks N)", NULL);
    if (cli->joined || cli->transport) return refuse("runs in one process: without a launcher, and without --transport", NULL);
    return 0;
}

static void find_most(const NacreVm *vm, PlanEnd *end) {
    end->stats.struct_size = sizeof end->stats;
    nacre_stats(vm, &end->stats);
    end->memory_peak = end->stats.array_memory_peak;
    for (int r = 0; r < (int)end->stats.ranks; r++) {
        NacreStats each = {.struct_size = sizeof each};
        if (nacre_rank_stats(vm, r, &each) != NACRE_OK) continue;
        if (each.messages_received > end->rank_messages) end->rank_messages = each.messages_received;
        if (each.message_bytes_received > end->rank_bytes) end->rank_bytes = each.message_bytes_received;
    }
}

static bool write_file(const char *path, const Text *text) {
    FILE *file = text->failed ? NULL : fopen(path, "w");
    bool done = file && fwrite(text->bytes, 1, text->len, file) == text->len;
    if (file && fclose(file) != 0) done = false;
    if (!done) fprintf(stderr, "nacre plan: %s: %s\n", path, text->failed ? "out of memory" : strerror(errno));
    return done;
}

// Writes the report, which covers what has run even if the program failed. Returns the exit status.
static int report(const Planned *planned, const PlanEnd *end, const char *json) {
    Text text = {0}, out = {0};
    plan_put_text(planned, end, &text);
    if (json) plan_put_json(planned, end, &out);
    const bool good = cli_write(NULL, 1, text_string(&text), text.len) == 0 && !text.failed;
    const bool written = !json || write_file(json, &out);
    if (text.failed || planned->failed) fputs("nacre plan: out of memory: the report is not complete\n", stderr);
    text_free(&text);
    text_free(&out);
    return good && written && !planned->failed ? 0 : 1;
}

static int run(Cli *cli, const Asked *asked, const Machine *machine, int count, char **argv) {
    Planned planned = {.ranks = cli->rank_count, .machine = machine};
    NacreDryRun dry = {.struct_size = sizeof dry, .ranks = cli->rank_count, .socket_ranks = (int)machine->socket_ranks,
                       .node_ranks = (int)machine->node_ranks, .step = planned_step, .ctx = &planned};
    PlanEnd end = {.script = argv[asked->at], .most_lines = (int)asked->top};
    cli->options.dry_run = &dry;
    cli->rank_count = 0; // the VM itself runs alone
    cli->dry = true;
    NacreVm *vm = cli_start(cli, count - asked->at, argv + asked->at);
    if (!vm) return cli->start_status;
    const NacreStatus ran = cli_run_file(cli, vm, argv[asked->at]);
    planned.ended = true;
    find_most(vm, &end);
    const bool failed = ran != NACRE_OK && ran != NACRE_EXIT;
    char *error = failed ? strdup(nacre_error_class(vm)) : NULL;
    end.error = failed ? error ? error : "" : NULL;
    const int code = cli_finish(cli, vm, ran), told = report(&planned, &end, asked->json);
    free(error);
    planned_free(&planned);
    return code ? code : told;
}

int cli_plan(Cli *cli, int count, char **argv) {
    enum { TOP = 20, MOST = 1 << 20 };
    Asked asked = {.top = TOP};
    Machine machine;
    Text problem = {0};
    int status = read_arguments(cli, &asked, count, argv);
    if (status) return status;
    if (cli->rank_count > MOST) return refuse("so many ranks cannot be planned for: at most 1048576", NULL);
    if (cli->backends && strcmp(cli->backends, "cpu") != 0) return refuse("arrays are on the cpu's backend: not with --backend", cli->backends);
    if (asked.machine && !machine_read(&machine, asked.machine, &problem)) {
        status = refuse(text_string(&problem), NULL);
        text_free(&problem);
        return status;
    }
    if (!asked.machine) machine_measure(&machine);
    status = run(cli, &asked, &machine, count, argv);
    machine_free(&machine);
    return status;
}
