// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Examples in text, as Python's doctest module takes them.

#ifndef NACRE_HOSTS_CLI_DOCTEST_H
#define NACRE_HOSTS_CLI_DOCTEST_H

#include "text.h"

// Options of examples: FLAG(id, spelling). Those with id NONE are known and change nothing: white
// space is always folded and `...` always stands for anything.
#define DOCTEST_OPTIONS(FLAG)                                                                      \
    FLAG(SKIP, "SKIP")                                                                             \
    FLAG(IGNORE_DETAIL, "IGNORE_EXCEPTION_DETAIL")                                                 \
    FLAG(EXACT_TRUTH, "DONT_ACCEPT_TRUE_FOR_1")                                                    \
    FLAG(EXACT_BLANK, "DONT_ACCEPT_BLANKLINE")                                                     \
    FLAG(NONE, "NORMALIZE_WHITESPACE")                                                             \
    FLAG(NONE, "ELLIPSIS")                                                                         \
    FLAG(NONE, "REPORT_UDIFF")                                                                     \
    FLAG(NONE, "REPORT_CDIFF")                                                                     \
    FLAG(NONE, "REPORT_NDIFF")                                                                     \
    FLAG(NONE, "REPORT_ONLY_FIRST_FAILURE")                                                        \
    FLAG(NONE, "FAIL_FAST")

enum {
    OPTION_NONE = 0,
    OPTION_SKIP = 1,
    OPTION_IGNORE_DETAIL = 2,
    OPTION_EXACT_TRUTH = 4,
    OPTION_EXACT_BLANK = 8,
};

// One example. Texts of lines end with a newline, or are empty.
typedef struct Example {
    Text source, want;
    size_t error_at;    // in want: the last line of an expected exception; NO_ERROR: none expected
    int line;           // of the prompt, counted from 0
    unsigned options;   // OPTION_…
    const char *problem; // or NULL: why this is no example after all
} Example;

#define NO_ERROR ((size_t)-1)

// What is left of a text in which examples are looked for.
typedef struct Finder {
    const char *at, *end;
    int line;    // of `at`, counted from 0
    bool fenced; // Markdown: a fence ends the expected output
} Finder;

// Text as the finder takes it: tabs expanded, lines ended by '\n'. Added to *out.
void doctest_plain(const char *bytes, size_t len, Text *out);
// The next example into *example, whose texts are reused (zeroed at first, example_free at last);
// false when there is none.
bool doctest_next(Finder *finder, Example *example);
void example_free(Example *example);

// Whether an output is what was expected.
bool doctest_matches(const char *want, const char *got, unsigned options);
// The same for the last line of a traceback, which may go over several lines.
bool doctest_error_matches(const char *want, const char *got, unsigned options);

#endif
