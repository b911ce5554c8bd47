// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Regular expressions: patterns, matches, and how PCRE2 runs them. _re_parser.ncr translates patterns from
// Python's syntax to PCRE2's.

#ifndef NACRE_STDLIB_RE_H
#define NACRE_STDLIB_RE_H

#include "vm/value/vm.h"

// What a match must cover: RE_SEARCH anything, RE_MATCH a prefix, RE_FULL the whole text.
typedef enum ReMode { RE_SEARCH, RE_MATCH, RE_FULL, RE_MODES } ReMode;

// How PCRE2 reads a text: byte by byte (for bytes and ASCII), or as UTF-8.
typedef enum ReForm { RE_BYTES, RE_UTF, RE_FORMS } ReForm;

// A pattern compiled for one form and mode. `code` and `guarded` are NULL until they are needed.
typedef struct ReProgram {
    void *code;
    void *guarded; // compiled with callouts, which poll the VM
    uint32_t uses; // number of runs, up to the JIT compilation
} ReProgram;

typedef struct Pattern {
    GcObj gc;
    Value source;            // str or bytes as in Python
    Value texts[RE_FORMS];   // str: the pattern in PCRE2's syntax; for a bytes pattern, None for RE_UTF
    uint32_t options[RE_FORMS];
    Value groupindex;        // dict: name -> number
    Value names;             // tuple: a group's name or None, by number
    Value order;             // tuple: groups in the order in which they close; None: a mark of PCRE2 names the last one
    Value helper;            // function: the parts of sub, expand and group that are written in the language
    int64_t flags;
    uint32_t groups;
    bool binary;             // for bytes
    bool linear;             // a try at one position costs no more steps than the pattern is long
    ReProgram programs[RE_FORMS][RE_MODES];
    void *data, *context, *stack; // PCRE2's match data, match context (limits) and JIT stack
    size_t *spans;           // in `data`: start and end of each group in bytes; RE_UNSET: it took no part
    Vm *vm;                  // the VM that callouts poll
    uint32_t callouts;       // number of callouts so far
    const char *sliced;      // the text of the last sliced search; only compared, never dereferenced
    size_t places;           // number of start positions in a slice of it
    Value place_text;        // cache: a text that is not ASCII, and one position in it,
    size_t place_byte, place_char; // as an index of bytes and of characters
} Pattern;

#define RE_UNSET (~(size_t)0)

typedef struct Match {
    GcObj gc;
    Pattern *pattern;
    Value text, value; // the argument, and the str or bytes that was searched
    int64_t pos, endpos;
    uint32_t last;    // the group that was closed last; 0: none
    uint32_t groups;  // number of groups, without group 0
    size_t spans[];   // start and end of each group in bytes, group 0 first
} Match;

// A text to be searched, from byte `start` to byte `end`.
typedef struct ReText {
    Value given;        // the argument; borrowed
    Value value;        // the str or bytes in it, or a copy of a bytes-like object; owned
    const char *data;   // the bytes of `value`
    size_t start, end;  // as indices of bytes
    int64_t pos, endpos; // as indices of characters
    ReForm form;
} ReText;

static inline Pattern *pattern_of(Value v) {
    return (Pattern *)v.obj;
}

// Loads PCRE2. Raises ImportError if it is not there.
Status re_open(Vm *vm);
// Searches for the first match from byte `at` on. With `at_start_not_empty`, an empty match at `at` does not
// count. ST_STOP: there is none. The spans are in pattern->spans until the next run.
Status re_run(Vm *vm, Pattern *pattern, const ReText *text, size_t at, ReMode mode, bool at_start_not_empty);
// Compiles the pattern for form RE_BYTES, so that errors of PCRE2 are raised when the pattern is made.
Status re_check(Vm *vm, Pattern *pattern);
// Returns the group that was closed last in the last run; 0: none.
uint32_t re_last_group(const Pattern *pattern);
void re_programs_free(Pattern *pattern);

// Reads the arguments string, pos and endpos of a method. The caller releases text->value after ST_OK only.
Status re_text(Vm *vm, Pattern *pattern, const Value *args, ReText *text);
Status re_whole_text(Vm *vm, Pattern *pattern, Value given, ReText *text);
// Convert an index between bytes and characters of a text.
size_t re_char_at(Vm *vm, Pattern *pattern, Value text, size_t byte);
size_t re_byte_at(Vm *vm, Pattern *pattern, Value text, size_t place);
// Returns the bytes [from, to) of a text as a str or bytes; empty if from is RE_UNSET.
Status re_piece(Vm *vm, Value text, size_t from, size_t to, Value *out);

// Makes a match of the last run.
Status match_new(Vm *vm, Pattern *pattern, const ReText *text, Value *out);
// Appends the expansion of a template, a tuple of texts and numbers of groups, for a match.
Status re_fill(Vm *vm, const Tuple *template, Value text, const size_t *spans, uint32_t groups, Buf *out);
Status re_fill_match(Vm *vm, const Value *args, Value *out); // fill(match, template)

// Iterates over the non-overlapping matches in a text. After an empty match, no empty match at the same place counts.
typedef struct ReWalk {
    Pattern *pattern;
    ReText text;
    size_t at;      // where the next search starts
    bool not_empty; // the last match was empty: one at `at` must not be
} ReWalk;
Status re_next(Vm *vm, ReWalk *walk);
Status scanner_new(Vm *vm, Pattern *pattern, const ReText *text, Value *out);

#define RE_WALKS(name) Status re_##name(Vm *vm, const Value *args, Value *out)
RE_WALKS(findall);
RE_WALKS(finditer);
RE_WALKS(split);
RE_WALKS(sub);
RE_WALKS(subn);
RE_WALKS(sub_template);
RE_WALKS(pieces);

#endif
