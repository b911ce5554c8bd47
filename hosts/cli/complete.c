// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The Tab key: inserts what all completions have in common, or lists them.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "edit.h"

static const char indent[] = "    ";

typedef struct Choices {
    char **names; // owned, as is each name
    size_t count, cap;
    size_t widest;
    bool failed;
} Choices;

static void choices_add(void *ctx, const char *name) {
    Choices *choices = ctx;
    if (choices->count == choices->cap) {
        size_t cap = 2 * choices->cap + 16;
        char **names = realloc(choices->names, cap * sizeof *names);
        if (names) choices->names = names;
        if (names) choices->cap = cap;
    }
    char *copy = choices->count < choices->cap ? strdup(name) : NULL;
    if (copy) choices->names[choices->count++] = copy;
    else choices->failed = true;
    if (copy && strlen(copy) > choices->widest) choices->widest = strlen(copy);
}

static void choices_free(Choices *choices) {
    for (size_t i = 0; i < choices->count; i++) free(choices->names[i]);
    free(choices->names);
}

// Returns the length of the common prefix of all choices, in bytes, as whole UTF-8 characters.
static size_t common_length(const Choices *choices) {
    const char *first = choices->names[0];
    size_t len = strlen(first);
    for (size_t i = 1; i < choices->count; i++) {
        size_t same = 0;
        while (same < len && choices->names[i][same] == first[same]) same++;
        len = same;
    }
    while (len > 0 && ((unsigned char)first[len] & 0xc0) == 0x80) len--;
    return len;
}

static size_t terminal_width(void) {
    struct winsize size;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : 80;
}

// Prints the choices in columns from top to bottom, as `ls` does.
static void print_choices(const Choices *choices) {
    size_t columns = terminal_width() / (choices->widest + 2);
    if (columns == 0) columns = 1;
    size_t lines = (choices->count + columns - 1) / columns;
    putchar('\n');
    for (size_t line = 0; line < lines; line++) {
        for (size_t i = line; i < choices->count; i += lines) {
            int width = i + lines < choices->count ? (int)choices->widest + 2 : 0;
            printf("%-*s", width, choices->names[i]);
        }
        putchar('\n');
    }
}

static bool is_blank(const char *text) {
    return text[strspn(text, " \t")] == '\0';
}

bool edit_complete(NacreVm *vm, const char *text, char **insert, bool *printed) {
    Choices choices = {0};
    size_t start = 0, len = strlen(text);
    *printed = false;
    *insert = NULL;
    if (is_blank(text)) {
        *insert = strdup(indent);
        return *insert;
    }
    NacreStatus status = nacre_complete(vm, text, len, &start, choices_add, &choices);
    if (status == NACRE_OK && !choices.failed && choices.count > 0) {
        size_t typed = len - start, common = common_length(&choices);
        *insert = strndup(choices.names[0] + typed, common > typed ? common - typed : 0);
        *printed = *insert && common == typed && choices.count > 1;
        if (*printed) print_choices(&choices);
    }
    choices_free(&choices);
    return *insert;
}
