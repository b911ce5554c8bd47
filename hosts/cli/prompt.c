// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The interactive prompt: reads until a statement is whole, runs it, shows what it says.

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "edit.h"

// The lines of a statement, each with its newline.
typedef struct Typed {
    char *text;
    size_t len, cap;
} Typed;

static bool typed_add(Typed *typed, const char *line, size_t len) {
    if (typed->len + len + 1 > typed->cap) {
        size_t cap = 2 * (typed->len + len + 1);
        char *text = realloc(typed->text, cap);
        if (!text) return false;
        typed->text = text;
        typed->cap = cap;
    }
    memcpy(typed->text + typed->len, line, len);
    typed->len += len;
    if (line[len - 1] != '\n') typed->text[typed->len++] = '\n';
    return true;
}

// Ctrl-C at the prompt: what was typed is dropped.
static void start_again(Typed *typed) {
    typed->len = 0;
    cli_write(NULL, 2, "\nKeyboardInterrupt\n", 19);
}

// As input_line.
static long read_line(Cli *cli, Editor *editor, const char *prompt, const char **line) {
    if (editor) return edit_line(editor, prompt, line);
    fputs(prompt, stdout);
    fflush(stdout);
    return input_line(&cli->input, line);
}

// One whole statement, or the start of one where the input ends; false when there is nothing more.
static bool read_statement(Cli *cli, NacreVm *vm, Editor *editor, Typed *typed) {
    typed->len = 0;
    for (;;) {
        const char *line;
        long n = read_line(cli, editor, typed->len ? "... " : ">>> ", &line);
        if (n < 0 && errno == EINTR) {
            start_again(typed);
            continue;
        }
        if (n <= 0) {
            putchar('\n');
            return typed->len > 0;
        }
        if (!typed_add(typed, line, (size_t)n)) {
            fprintf(stderr, "nacre: out of memory\n");
            return false;
        }
        if (nacre_is_complete(vm, typed->text, typed->len - 1) != NACRE_INCOMPLETE) return true;
    }
}

static NacreStatus run_statement(NacreVm *vm, Typed *typed) {
    if (interrupt_let()) {
        start_again(typed);
        return NACRE_OK;
    }
    return nacre_run(vm, typed->text, typed->len, "<stdin>", NACRE_INTERACTIVE);
}

int cli_prompt(Cli *cli, NacreVm *vm) {
    Typed typed = {0};
    NacreStatus status = NACRE_OK;
    Editor *editor = edit_open(&cli->input, vm);
    printf("nacre %s\n", nacre_version());
    while (status != NACRE_EXIT && read_statement(cli, vm, editor, &typed)) {
        status = run_statement(vm, &typed);
        interrupt_hold();
        if (status == NACRE_ERROR || status == NACRE_INTERRUPTED)
            cli_write(NULL, 2, nacre_error_text(vm), nacre_error_size(vm));
    }
    interrupt_let();
    free(typed.text);
    edit_close(editor);
    return cli_finish(cli, vm, status == NACRE_EXIT ? status : NACRE_OK);
}
