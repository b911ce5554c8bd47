// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The interactive prompt: reads until a statement is whole, runs it, shows what it says.

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

typedef struct Input {
    char *text;
    size_t len, cap;
} Input;

static bool input_add(Input *input, const char *line, size_t len) {
    if (input->len + len + 1 > input->cap) {
        size_t cap = 2 * (input->len + len + 1);
        char *text = realloc(input->text, cap);
        if (!text) return false;
        input->text = text;
        input->cap = cap;
    }
    memcpy(input->text + input->len, line, len);
    input->len += len;
    input->text[input->len] = '\0';
    return true;
}

// Ctrl-C at the prompt: what was typed is dropped.
static void start_again(Input *input) {
    clearerr(stdin);
    input->len = 0;
    cli_write(NULL, 2, "\nKeyboardInterrupt\n", 19);
}

// One whole statement; false at the end of input.
static bool read_statement(NacreVm *vm, Input *input) {
    char *line = NULL;
    size_t cap = 0;
    bool any = false;
    input->len = 0;
    for (;;) {
        fputs(input->len ? "... " : ">>> ", stdout);
        fflush(stdout);
        errno = 0;
        ssize_t n = getline(&line, &cap, stdin);
        if (n < 0 && errno == EINTR) {
            start_again(input);
            continue;
        }
        if (n < 0) break;
        any = true;
        if (!input_add(input, line, (size_t)n)) break;
        size_t typed = input->len - (line[n - 1] == '\n');
        if (nacre_is_complete(vm, input->text, typed) != NACRE_INCOMPLETE) break;
    }
    free(line);
    return any;
}

int cli_prompt(Cli *cli, NacreVm *vm) {
    Input input = {0};
    NacreStatus status = NACRE_OK;
    printf("nacre %s\n", nacre_version());
    while (status != NACRE_EXIT && read_statement(vm, &input)) {
        status = nacre_run(vm, input.text, input.len, "<stdin>", NACRE_INTERACTIVE);
        if (status == NACRE_ERROR || status == NACRE_INTERRUPTED)
            cli_write(NULL, 2, nacre_error_text(vm), nacre_error_size(vm));
    }
    free(input.text);
    if (status != NACRE_EXIT) putchar('\n');
    return cli_finish(cli, vm, status == NACRE_EXIT ? status : NACRE_OK);
}
