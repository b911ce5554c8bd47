// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The interactive prompt: reads until a statement is complete, runs it, and prints its outcome.

#include <errno.h>
#include <stdio.h>

#include "edit.h"

// Adds a line to a statement, and the newline that the last line of the input may lack. Returns false if memory runs
// out.
static bool add_line(Text *typed, const char *line, size_t len) {
    text_add(typed, line, len);
    if (line[len - 1] != '\n') text_add(typed, "\n", 1);
    return !typed->failed;
}

// Discards what was typed, after Ctrl-C at the prompt.
static void start_again(Text *typed) {
    text_clear(typed);
    cli_write(NULL, 2, "\nKeyboardInterrupt\n", 19);
}

// Reads a line as input_line does.
static long read_line(Cli *cli, Editor *editor, const char *prompt, const char **line) {
    if (editor) return edit_line(editor, prompt, line);
    fputs(prompt, stdout);
    fflush(stdout);
    return input_line(&cli->input, line);
}

// Reads a complete statement, or an incomplete one at the end of the input. Returns false if there is no more input.
static bool read_statement(Cli *cli, NacreVm *vm, Editor *editor, Text *typed) {
    text_clear(typed);
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
        if (!add_line(typed, line, (size_t)n)) {
            fprintf(stderr, "nacre: out of memory\n");
            return false;
        }
        if (nacre_is_complete(vm, typed->bytes, typed->len - 1) != NACRE_INCOMPLETE) return true;
    }
}

static NacreStatus run_statement(NacreVm *vm, Text *typed) {
    if (interrupt_let()) {
        start_again(typed);
        return NACRE_OK;
    }
    return nacre_run(vm, typed->bytes, typed->len, "<stdin>", NACRE_INTERACTIVE);
}

int cli_prompt(Cli *cli, NacreVm *vm) {
    Text typed = {0};
    NacreStatus status = NACRE_OK;
    Editor *editor = edit_open(&cli->input, vm);
    printf("nacre %s\n", nacre_version());
    while (status != NACRE_EXIT && read_statement(cli, vm, editor, &typed)) {
        cli->started = cli_clock();
        status = run_statement(vm, &typed);
        interrupt_hold();
        if (status == NACRE_ERROR || status == NACRE_INTERRUPTED)
            cli_write(NULL, 2, nacre_error_text(vm), nacre_error_size(vm));
    }
    interrupt_let();
    text_free(&typed);
    edit_close(editor);
    return cli_finish(cli, vm, status == NACRE_EXIT ? status : NACRE_OK);
}
