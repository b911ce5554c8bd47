// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Examples in text, in the format of Python's doctest module.

#ifndef NACRE_HOSTS_CLI_DOCTEST_H
#define NACRE_HOSTS_CLI_DOCTEST_H

#include "text.h"

// Options of examples, as FLAG(id, spelling). Those with id NONE are accepted without effect: white space is always
// folded, and `...` always matches any text.
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

// An example. Texts consist of whole lines with their newlines, or are empty.
typedef struct Example {
    Text source, want;
    size_t error_at;    // offset in `want` of the last line of an expected exception; NO_ERROR: no exception is
                        // expected
    int line;           // line of the prompt, counted from 0
    unsigned options;   // bits OPTION_…
    const char *problem; // why this is not a valid example, or NULL
} Example;

#define NO_ERROR ((size_t)-1)

// The rest of a text that is searched for examples.
typedef struct Finder {
    const char *at, *end;
    int line;    // line of `at`, counted from 0
    bool fenced; // Markdown: a fence also ends the expected output
} Finder;

// Appends to *out the text that a Finder needs: tabs are expanded, and lines end with '\n'.
void doctest_plain(const char *bytes, size_t len, Text *out);
// Reads the next example into *example. Returns false if there is none. The texts of *example are reused from call to
// call: zero it before the first call, and pass it to example_free after the last one.
bool doctest_next(Finder *finder, Example *example);
void example_free(Example *example);

// Returns whether an output matches the expected one.
bool doctest_matches(const char *want, const char *got, unsigned options);
// Does the same for the last line of a traceback, a message which may itself span several lines.
bool doctest_error_matches(const char *want, const char *got, unsigned options);

#endif
