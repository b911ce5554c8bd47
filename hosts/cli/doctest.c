// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The subcommand `doctest`: runs the examples of files, and reports those whose output is not the expected one.

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "doctest.h"

// Text whose examples share their variables: a docstring, or a whole text file.
typedef struct Unit {
    char *name;
    Text text;
    int line; // its first line in the file, counted from 1
} Unit;

typedef struct Doctest {
    Cli *cli;
    NacreVm *vm;
    const char *path;
    const char *stem; // the file's name without folder and suffix, which begins the names of examples; `stem_len` bytes
    size_t stem_len;
    Unit *units; // owned array
    size_t count, cap;
    Text got;
    long passed, failed;
    bool interrupted, no_memory;
} Doctest;

// --- Telling -------------------------------------------------------------------------------------

// Prints a text on one line, with escapes and without its last newline.
static void print_escaped(const char *text) {
    size_t len = strlen(text);
    if (len && text[len - 1] == '\n') len--;
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '\n') fputs("\\n", stdout);
        else if ((unsigned char)text[i] < 0x20) printf("\\x%02x", text[i]);
        else putchar(text[i]);
    }
}

static void print_failure(Doctest *run, const Unit *unit, const Example *example) {
    const char *source = text_string(&example->source);
    run->failed++;
    printf("%s:%d: ", run->path, unit->line + example->line);
    if (strcmp(source, "\n") == 0) return; // the prompt has no code
    print_escaped(source);
    fputs(": ", stdout);
}

static void tell_problem(Doctest *run, const Unit *unit, const Example *example) {
    print_failure(run, unit, example);
    printf("%s\n", example->problem);
}

static void tell_difference(Doctest *run, const Unit *unit, const Example *example) {
    const char *want = text_string(&example->want);
    print_failure(run, unit, example);
    fputs("expected '", stdout);
    print_escaped(example->error_at == NO_ERROR ? want : want + example->error_at);
    fputs("', got '", stdout);
    print_escaped(text_string(&run->got));
    fputs("'\n", stdout);
}

// --- Running -------------------------------------------------------------------------------------

static bool at_line_start(const char *text, const char *at) {
    return at == text || at[-1] == '\n';
}

// Returns the message in a text with a traceback: what follows the indented stack of the last traceback. The message
// may span several lines.
static const char *raised_message(const char *text) {
    static const char header[] = "Traceback (most recent call last):\n";
    const char *at = text;
    for (const char *found = text; (found = strstr(found, header)); found++)
        if (at_line_start(text, found)) at = found + strlen(header);
    for (const char *next; *at == ' ' && (next = strchr(at, '\n')); at = next + 1) {}
    return at;
}

// Returns the message of a SyntaxError. The compiler may report several errors, the first one last, each followed by
// indented lines.
static const char *syntax_message(const char *text) {
    const char *at = text, *line = text;
    for (const char *next; *line; line = next + 1) {
        if (*line != ' ') at = line;
        if (!(next = strchr(line, '\n'))) break;
    }
    return at;
}

static void add_raised(Doctest *run) {
    const char *text = nacre_error_text(run->vm), *class_name = nacre_error_class(run->vm);
    bool syntax = strcmp(class_name, "SyntaxError") == 0 ||
                  strcmp(class_name, "IndentationError") == 0 || strcmp(class_name, "TabError") == 0;
    if (!syntax) {
        text_puts(&run->got, raised_message(text));
        return;
    }
    const char *message = syntax_message(text);
    text_add(&run->got, message, strcspn(message, "\n"));
    text_add(&run->got, "\n", 1);
}

// Appends how the traceback of a SystemExit ends. Only the exit status is known, which does not distinguish sys.exit(0)
// from sys.exit(); for 0, the form that the example expects is used.
static void add_exit(Doctest *run, const Example *example) {
    char text[64] = "SystemExit\n";
    bool bare = example->error_at != NO_ERROR &&
                strcmp(example->want.bytes + example->error_at, text) == 0;
    int code = nacre_exit_code(run->vm);
    if (code || !bare) snprintf(text, sizeof text, "SystemExit: %d\n", code);
    text_puts(&run->got, text);
}

// Compares an example's outcome with the expected one, and leaves the outcome in run->got.
static bool is_as_expected(Doctest *run, const Example *example, NacreStatus status) {
    size_t shown = run->got.len;
    if (memchr(text_string(&run->got), '\0', shown)) return false;
    if (status == NACRE_OK)
        return doctest_matches(text_string(&example->want), text_string(&run->got),
                               example->options);
    if (status == NACRE_EXIT) add_exit(run, example);
    else add_raised(run);
    return example->error_at != NO_ERROR &&
           doctest_error_matches(example->want.bytes + example->error_at, run->got.bytes + shown,
                                 example->options);
}

// Runs an example's code. Ctrl-C is blocked between examples, where nothing would handle it. One that comes too late to
// interrupt an example stops the remaining ones.
static NacreStatus run_source(Doctest *run, const Text *source, const char *name) {
    if (interrupt_let()) return NACRE_INTERRUPTED;
    run->cli->capture = &run->got;
    run->cli->started = cli_clock();
    NacreStatus status = nacre_run(run->vm, source->bytes, source->len, name, NACRE_INTERACTIVE);
    run->cli->capture = NULL;
    return interrupt_hold() ? NACRE_INTERRUPTED : status;
}

static void run_example(Doctest *run, const Unit *unit, const Example *example, int number) {
    Text name = {0};
    char suffix[32];
    snprintf(suffix, sizeof suffix, "[%d]>", number);
    text_puts(&name, "<doctest ");
    text_puts(&name, unit->name);
    text_puts(&name, suffix);
    text_clear(&run->got);
    NacreStatus status = run_source(run, &example->source, text_string(&name));
    text_free(&name);
    run->interrupted = status == NACRE_INTERRUPTED;
    if (run->interrupted) return;
    if (is_as_expected(run, example, status) && !run->got.failed) run->passed++;
    else tell_difference(run, unit, example);
}

static void run_unit(Doctest *run, const Unit *unit, bool fenced) {
    const char *text = text_string(&unit->text);
    Finder finder = {.at = text, .end = text + unit->text.len, .fenced = fenced};
    Example example = {0};
    if (nacre_scratch_begin(run->vm) != NACRE_OK) {
        run->no_memory = true;
        return;
    }
    for (int number = 0; !run->interrupted && doctest_next(&finder, &example); number++) {
        if (example.problem) tell_problem(run, unit, &example);
        else if (!(example.options & OPTION_SKIP)) run_example(run, unit, &example, number);
    }
    nacre_scratch_end(run->vm);
    example_free(&example);
}

// --- Files ---------------------------------------------------------------------------------------

// Adds a unit. `name` is that of a docstring, or "" for the whole file.
static void add_unit(Doctest *run, const char *name, int line, const char *text, size_t len) {
    if (run->count == run->cap) {
        size_t cap = 2 * run->cap + 16;
        Unit *units = realloc(run->units, cap * sizeof *units);
        if (!units) {
            run->no_memory = true;
            return;
        }
        run->units = units;
        run->cap = cap;
    }
    Text full = {0};
    text_add(&full, run->stem, run->stem_len);
    text_puts(&full, *name ? "." : "");
    text_puts(&full, name);
    Unit *unit = &run->units[run->count++];
    *unit = (Unit){.name = full.bytes, .line = line};
    doctest_plain(text, len, &unit->text);
    run->no_memory = run->no_memory || full.failed || unit->text.failed || !full.bytes;
}

static void add_docstring(void *ctx, const char *name, int line, const char *text, size_t len) {
    add_unit(ctx, name, line, text, len);
}

static void drop_units(Doctest *run) {
    for (size_t i = 0; i < run->count; i++) {
        free(run->units[i].name);
        text_free(&run->units[i].text);
    }
    run->count = 0;
}

static bool has_suffix(const char *path, const char *suffix) {
    size_t len = strlen(path), end = strlen(suffix);
    return len > end && strcmp(path + len - end, suffix) == 0;
}

static bool is_script(const char *path) {
    return has_suffix(path, ".py") || has_suffix(path, ".ncr");
}

static void name_after(Doctest *run, const char *path) {
    const char *slash = strrchr(path, '/');
    run->path = path;
    run->stem = slash ? slash + 1 : path;
    const char *dot = is_script(path) ? strrchr(run->stem, '.') : NULL;
    run->stem_len = dot ? (size_t)(dot - run->stem) : strlen(run->stem);
}

// Sets `__name__`, so that the script runs as if it were imported and its `if __name__ == "__main__"` does nothing.
static NacreStatus set_name(Doctest *run) {
    Text code = {0};
    text_puts(&code, "__name__ = '");
    for (size_t i = 0; i < run->stem_len; i++) {
        if (run->stem[i] == '\'' || run->stem[i] == '\\') text_add(&code, "\\", 1);
        text_add(&code, run->stem + i, 1);
    }
    text_puts(&code, "'\n");
    NacreStatus status = code.failed ? NACRE_ERROR
                                     : nacre_run(run->vm, code.bytes, code.len, "<doctest>",
                                                 NACRE_FILE);
    text_free(&code);
    return status;
}

static void load_script(Doctest *run, const Text *text) {
    NacreStatus status = set_name(run);
    if (status == NACRE_OK) status = nacre_run_file(run->vm, run->path);
    if (status == NACRE_OK &&
        nacre_docstrings(run->vm, text_string(text), text->len, add_docstring, run) != NACRE_OK)
        run->no_memory = true;
    if (status == NACRE_OK) return;
    run->interrupted = status == NACRE_INTERRUPTED;
    if (run->interrupted) return;
    run->failed++;
    cli_write(NULL, 2, nacre_error_text(run->vm), nacre_error_size(run->vm));
    printf("%s: it cannot be loaded%s\n", run->path,
           status == NACRE_EXIT ? ": SystemExit" : "");
}

static void add_text_file(Doctest *run, const Text *text) {
    static const char mark[] = "\xef\xbb\xbf"; // byte order mark
    size_t from = strncmp(text_string(text), mark, 3) == 0 ? 3 : 0;
    add_unit(run, "", 1, text_string(text) + from, text->len - from);
}

static void run_file(Doctest *run, const Text *text) {
    if (is_script(run->path)) load_script(run, text);
    else add_text_file(run, text);
    run->interrupted = interrupt_hold() || run->interrupted;
    for (size_t i = 0; i < run->count && !run->interrupted && !run->no_memory; i++)
        run_unit(run, &run->units[i], has_suffix(run->path, ".md"));
    run->interrupted = interrupt_let() || run->interrupted;
    if (run->no_memory) {
        run->failed++;
        printf("%s: out of memory\n", run->path);
        run->no_memory = false;
    }
    drop_units(run);
}

static void check_file(Doctest *run, char *path) {
    Text text = {0};
    name_after(run, path);
    if (text_read_file(&text, path)) {
        run->vm = cli_start(run->cli, 1, &path);
        if (run->vm) {
            run_file(run, &text);
            cli_finish(run->cli, run->vm, NACRE_OK);
        } else run->failed++;
    } else {
        run->failed++;
        printf("%s: %s\n", path, strerror(errno));
    }
    text_free(&text);
}

int cli_doctest(Cli *cli, int count, char **paths) {
    Doctest run = {.cli = cli};
    for (int i = 0; i < count && !run.interrupted; i++) check_file(&run, paths[i]);
    text_free(&run.got);
    free(run.units);
    if (run.interrupted) cli_write(NULL, 2, "KeyboardInterrupt\n", 18);
    printf("%ld passed, %ld failed\n", run.passed, run.failed);
    bool told = fflush(stdout) == 0;
    return run.interrupted ? INTERRUPTED_STATUS : told && run.failed == 0 ? 0 : 1;
}
