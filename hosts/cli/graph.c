// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The command `nacre graph`: runs a script, and draws or saves its plans.

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "graph_file.h"
#include "rank_map.h"

enum { MOST_PLANS = 24 };

typedef struct GraphArgs {
    const char *output;
    Drawing drawing;
    bool ranks; // draw the communication of ranks instead of plans
    int script; // index of the script in the arguments; its own arguments follow; 0: none
} GraphArgs;

static int fail(const char *what, const char *of) {
    fprintf(stderr, "nacre graph: %s%s%s\n", what, of ? " " : "", of ? of : "");
    return 2;
}

static bool read_number(const char *text, long least, long *out) {
    char *end;
    *out = strtol(text, &end, 10);
    return *text && !*end && *out >= least;
}

// Reads the arguments. Options come before the script; -o may also follow it. Returns 0, or the exit status after
// printing an error.
static int read_args(GraphArgs *args, int count, char **argv) {
    int at = 1;
    for (; at < count && argv[at][0] == '-' && argv[at][1]; at += 2) {
        if (strcmp(argv[at], "--ranks") == 0) {
            args->ranks = true;
            at--;
            continue;
        }
        const char *name = argv[at], *value = at + 1 < count ? argv[at + 1] : NULL;
        long number;
        if (!value) return fail("no value for", name);
        if (strcmp(name, "-o") == 0) args->output = value;
        else if (strcmp(name, "--pass") == 0) args->drawing.pass = value;
        else if (strcmp(name, "--plan") == 0 && read_number(value, 1, &number))
            args->drawing.plan = number - 1;
        else if (strcmp(name, "--line") == 0 && read_number(value, 1, &number))
            args->drawing.line = number;
        else if (strcmp(name, "--most") == 0 && read_number(value, 1, &number))
            args->drawing.most = (int)number;
        else return fail("bad option", name);
    }
    if (at >= count) return fail("which script?", NULL);
    args->script = at;
    if (count - at >= 3 && strcmp(argv[at + 1], "-o") == 0) args->output = argv[at + 2];
    if (!args->output) return fail("where to? -o FILE.svg, FILE.dot or FILE.json", NULL);
    return 0;
}

static bool ends_with(const char *text, const char *end) {
    size_t a = strlen(text), b = strlen(end);
    return a >= b && strcmp(text + a - b, end) == 0;
}

static int write_text(const Text *text, const char *path) {
    FILE *file = fopen(path, "w");
    bool done = file && fwrite(text->bytes, 1, text->len, file) == text->len;
    if (file && fclose(file) != 0) done = false;
    return done ? 0 : fail(strerror(errno), path);
}

static int no_plan(const Drawing *drawing) {
    bool any = drawing->plan < 0 && drawing->line == 0;
    return fail(any ? "no array work" : "there is no such plan", NULL);
}

static int write_picture(const Plans *plans, const GraphArgs *args) {
    Text dot = {0};
    int left_out, status = 0, drawn = draw_plans(plans, &args->drawing, &dot, &left_out);
    if (drawn < 0) status = fail("no such pass:", args->drawing.pass);
    else if (dot.failed) status = fail("out of memory", NULL);
    else if (drawn == 0) status = no_plan(&args->drawing);
    else if (ends_with(args->output, ".dot")) status = write_text(&dot, args->output);
    else if (!svg_write(text_string(&dot), args->output))
        status = fail("cannot write", args->output);
    if (status == 0 && left_out)
        fprintf(
            stderr,
            "nacre graph: the first %d of %d plans; --most N, --plan N or --line N show others\n",
            drawn, drawn + left_out);
    text_free(&dot);
    return status;
}

static int save_graph(const Plans *plans, const GraphArgs *args) {
    Text json = {0};
    int status = 0, written = graph_save(plans, &args->drawing, args->output, &json);
    if (written < 0) status = fail(strerror(errno), args->output);
    else if (written == 0) status = no_plan(&args->drawing);
    else if (json.failed) status = fail("out of memory", NULL);
    else status = write_text(&json, args->output);
    text_free(&json);
    return status;
}

// Writes the picture of the ranks' communication. It needs the figures of every rank, which are incomplete if ranks
// have ended differently. Returns the exit status.
static int write_ranks(const Figures *figures, const GraphArgs *args) {
    Text svg = {0};
    int told = 0;
    for (int r = 0; r < figures->count; r++) told += figures->ranks[r].len > 0;
    if (figures->count < 2) return fail("--ranks needs several: nacre -n N graph --ranks …", NULL);
    if (told < figures->count) return fail("no picture: ranks have parted, and some have not told what they sent", NULL);
    int status = rank_map_put(figures, args->drawing.title, &svg) ? write_text(&svg, args->output) : fail("out of memory", NULL);
    text_free(&svg);
    return status;
}

static int check_output(const GraphArgs *args) {
    if (args->ranks)
        return ends_with(args->output, ".svg") ? 0 : fail("with --ranks the file's name has to end with .svg:", args->output);
    if (ends_with(args->output, ".dot") || ends_with(args->output, ".json")) return 0;
    if (!ends_with(args->output, ".svg"))
        return fail("the file's name has to end with .svg, .dot or .json:", args->output);
    if (svg_library()) return 0;
    return fail("pictures need the Graphviz library (Debian: libgvc6), which is not there; "
                "-o FILE.dot works without", NULL);
}

int cli_graph(Cli *cli, int count, char **argv) {
    GraphArgs args = {.drawing = {.plan = -1, .most = MOST_PLANS}};
    Plans plans = {0};
    int status = read_args(&args, count, argv);
    if (status == 0) status = check_output(&args);
    if (status != 0) return status;
    char **script = argv + args.script;
    int script_count = count - args.script;
    if (script_count >= 3 && strcmp(script[1], "-o") == 0) {
        script[2] = script[0];
        script += 2;
        script_count -= 2;
    }
    args.drawing.title = script[0];
    cli->plans_with_data = !args.ranks && ends_with(args.output, ".json");
    NacreVm *vm = cli_start(cli, script_count, script);
    if (!vm) return cli->start_status;
    cli->figures.wanted |= args.ranks;
    if (!args.ranks && !plans_start(&plans, vm, cli->plans_with_data))
        status = fail("out of memory", NULL);
    int code = cli_finish(cli, vm, cli_run_file(cli, vm, script[0]));
    if (plans.failed) fail("out of memory: something is missing", NULL);
    bool as_text = ends_with(args.output, ".json");
    if (status == 0 && !cli->follows)
        status = args.ranks ? write_ranks(&cli->figures, &args) : as_text ? save_graph(&plans, &args) : write_picture(&plans, &args);
    plans_free(&plans);
    return code ? code : status;
}
