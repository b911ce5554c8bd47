// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Finds examples in text, by the rules of DocTestParser in Python's doctest module: a prompt `>>>` at any indentation,
// followed by lines of `...`, followed by the expected output, which ends at a blank line or the next prompt.

#include <stdlib.h>
#include <string.h>

#include "doctest.h"

typedef struct Line {
    const char *text;
    size_t len;
} Line;

void doctest_plain(const char *bytes, size_t len, Text *out) {
    static const char spaces[] = "        ";
    size_t column = 0;
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)bytes[i];
        if (c == '\t') {
            text_add(out, spaces, 8 - column % 8);
            column += 8 - column % 8;
        } else if (c == '\n' || c == '\r') {
            if (c == '\r' && i + 1 < len && bytes[i + 1] == '\n') i++;
            text_add(out, "\n", 1);
            column = 0;
        } else {
            text_add(out, bytes + i, 1);
            column += (c & 0xc0) != 0x80; // counts each UTF-8 character once
        }
    }
}

static size_t indent_of(Line line) {
    size_t n = 0;
    while (n < line.len && line.text[n] == ' ') n++;
    return n;
}

static bool is_blank(Line line) {
    return indent_of(line) == line.len;
}

static bool begins(Line line, size_t at, const char *with) {
    size_t len = strlen(with);
    return line.len >= at + len && memcmp(line.text + at, with, len) == 0;
}

static bool is_prompt(Line line, const char *prompt) {
    return begins(line, indent_of(line), prompt);
}

static bool is_fence(Line line) {
    return is_prompt(line, "```") || is_prompt(line, "~~~");
}

static bool peek(const Finder *finder, Line *line) {
    if (finder->at >= finder->end) return false;
    const char *newline = memchr(finder->at, '\n', (size_t)(finder->end - finder->at));
    *line = (Line){finder->at, (size_t)((newline ? newline : finder->end) - finder->at)};
    return true;
}

static void skip(Finder *finder, Line line) {
    finder->at = line.text + line.len;
    if (finder->at < finder->end) finder->at++;
    finder->line++;
}

static void add_cut(Text *text, Line line, size_t from) {
    if (from < line.len) text_add(text, line.text + from, line.len - from);
    text_add(text, "\n", 1);
}

// --- Parts of an example -------------------------------------------------------------------------

static void add_source(Example *example, Line line, size_t indent) {
    if (indent_of(line) != indent) example->problem = "inconsistent leading white space";
    else if (line.len > indent + 3 && line.text[indent + 3] != ' ')
        example->problem = "no blank after the prompt";
    add_cut(&example->source, line, indent + 4);
}

static void add_want(Example *example, Line line, size_t indent) {
    if (indent_of(line) < indent) example->problem = "inconsistent leading white space";
    add_cut(&example->want, line, indent);
}

// Returns whether a source is only a blank or a comment, which is not an example.
static bool is_idle(const Text *source) {
    const char *first = source->bytes + strspn(source->bytes, " ");
    const char *newline = strchr(source->bytes, '\n');
    return newline[1] == '\0' && (*first == '\n' || *first == '#');
}

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (unsigned char)c >= 0x80;
}

// Finds the message in an expected traceback: the first line that begins with a letter or digit, after "Traceback (most
// recent call last):" and the lines of the stack. Returns its offset; NO_ERROR: not a traceback.
static size_t find_error(const char *want) {
    static const char *const headers[] = {"Traceback (most recent call last):",
                                          "Traceback (innermost last):"};
    const char *line = NULL;
    for (int i = 0; i < 2 && !line; i++)
        if (strncmp(want, headers[i], strlen(headers[i])) == 0) line = want + strlen(headers[i]);
    if (!line || line[strspn(line, " \t\f\v")] != '\n') return NO_ERROR;
    while ((line = strchr(line, '\n')) && *++line)
        if (is_word(*line)) return (size_t)(line - want);
    return NO_ERROR;
}

// --- Options -------------------------------------------------------------------------------------

static const struct {
    const char *name;
    unsigned flag;
} options[] = {
#define ROW(id, name) {name, OPTION_##id},
    DOCTEST_OPTIONS(ROW)
#undef ROW
};

static void set_option(Example *example, const char *word, size_t len) {
    for (size_t i = 0; i < sizeof options / sizeof *options && len > 1; i++) {
        if (strlen(options[i].name) != len - 1 || memcmp(options[i].name, word + 1, len - 1) != 0)
            continue;
        if (*word == '+') example->options |= options[i].flag;
        else if (*word == '-') example->options &= ~options[i].flag;
        else break;
        return;
    }
    example->problem = "an option that is not known";
}

static const char *skip_blanks(const char *text) {
    return text + strspn(text, " \t\f\v");
}

// Returns the directive in the comment at `hash`: what follows "doctest:" up to the end of the line. Returns NULL if
// there is none, or if a quote shows that the `#` may be part of a string.
static const char *directive(const char *hash, const char *end) {
    static const char word[] = "doctest:";
    const char *at = skip_blanks(hash + 1);
    if (strncmp(at, word, sizeof word - 1) != 0) return NULL;
    at += sizeof word - 1;
    return memchr(at, '\'', (size_t)(end - at)) || memchr(at, '"', (size_t)(end - at)) ? NULL : at;
}

static bool read_options(Example *example) {
    bool any = false;
    const char *line = example->source.bytes;
    for (const char *end; (end = strchr(line, '\n')); line = end + 1) {
        const char *at = NULL;
        for (const char *c = line; c < end && !at; c++)
            if (*c == '#') at = directive(c, end);
        while (at && (at += strspn(at, " ,\t\f\v")) < end) {
            size_t len = strcspn(at, " ,\t\f\v\n");
            set_option(example, at, len);
            any = true;
            at += len;
        }
    }
    return any;
}

// --- Finding -------------------------------------------------------------------------------------

static void start_example(Example *example, int line) {
    text_clear(&example->source);
    text_clear(&example->want);
    *example = (Example){.source = example->source, .want = example->want, .line = line,
                         .error_at = NO_ERROR};
}

static void read_example(Finder *finder, Line line, Example *example) {
    size_t indent = indent_of(line);
    start_example(example, finder->line);
    do {
        add_source(example, line, indent);
        skip(finder, line);
    } while (peek(finder, &line) && is_prompt(line, "..."));
    while (peek(finder, &line) && !is_blank(line) && !is_prompt(line, ">>>") &&
           !(finder->fenced && is_fence(line))) {
        add_want(example, line, indent);
        skip(finder, line);
    }
}

bool doctest_next(Finder *finder, Example *example) {
    Line line;
    while (peek(finder, &line)) {
        if (!is_prompt(line, ">>>")) {
            skip(finder, line);
            continue;
        }
        read_example(finder, line, example);
        if (example->source.failed || example->want.failed) example->problem = "out of memory";
        if (example->problem) return true;
        bool idle = is_idle(&example->source);
        if (read_options(example) && idle) example->problem = "an option without an example";
        if (example->want.len) example->error_at = find_error(example->want.bytes);
        if (!idle || example->problem) return true;
    }
    return false;
}

void example_free(Example *example) {
    text_free(&example->source);
    text_free(&example->want);
}
