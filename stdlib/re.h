// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Regular expressions: patterns, what they have matched, and running them by PCRE2. Patterns are
// translated from Python's syntax by _re_parser.ncr.

#ifndef NACRE_STDLIB_RE_H
#define NACRE_STDLIB_RE_H

#include "vm/value/vm.h"

// Where a match has to lie: anywhere, at the start, or from the start to the end.
typedef enum ReMode { RE_SEARCH, RE_MATCH, RE_FULL, RE_MODES } ReMode;

// What a text is to PCRE2: bytes with or without a meaning of their own (ASCII), or UTF-8.
typedef enum ReForm { RE_BYTES, RE_UTF, RE_FORMS } ReForm;

// A pattern compiled for one form and mode; both are NULL until they are needed.
typedef struct ReProgram {
    void *code;
    void *guarded; // the same with callouts, in which the VM is polled
    uint32_t uses;
} ReProgram;

typedef struct Pattern {
    GcObj gc;
    Value source;            // str or bytes as in Python
    Value texts[RE_FORMS];   // str: in PCRE2's syntax; that of RE_UTF is None for bytes
    uint32_t options[RE_FORMS];
    Value groupindex;        // dict: name -> number
    Value names;             // tuple: a group's name or None, by number
    Value order;             // tuple: groups in the order in which they are closed; None: marks tell
    Value helper;            // what does the parts of sub and expand that are written in the language
    int64_t flags;
    uint32_t groups;
    bool binary;             // for bytes
    bool linear;             // a start costs no more than the pattern is long
    ReProgram programs[RE_FORMS][RE_MODES];
    void *data, *context, *stack; // of PCRE2: what was matched, limits, memory of machine code
    size_t *spans;           // in `data`: start and end of each group, RE_UNSET where it took no part
    Vm *vm;                  // which callouts poll
    uint32_t callouts;
    const char *sliced;      // the text that was searched last in slices of `places` places; not looked into
    size_t places;
    Value place_text;        // a text that is not ASCII, and a place in it both ways
    size_t place_byte, place_char;
} Pattern;

#define RE_UNSET (~(size_t)0)

typedef struct Match {
    GcObj gc;
    Pattern *pattern;
    Value text, value; // as it was given, and the str or bytes that was searched
    int64_t pos, endpos;
    uint32_t last;    // the group that was closed last; 0: none
    uint32_t groups;  // all of them are one more
    size_t spans[];   // bytes
} Match;

// A text that is searched: its bytes up to `end`.
typedef struct ReText {
    Value given;        // borrowed
    Value value;        // the str or bytes in it, or a copy of a bytes-like object; owned
    const char *data;
    size_t start, end;  // bytes
    int64_t pos, endpos;
    ReForm form;
} ReText;

static inline Pattern *pattern_of(Value v) {
    return (Pattern *)v.obj;
}

// ImportError where PCRE2 is not there.
Status re_open(Vm *vm);
// Looks for the first match from `at` on; `at_start_not_empty`: an empty one at `at` does not count.
// ST_STOP: there is none. Spans are in pattern->spans until the next run.
Status re_run(Vm *vm, Pattern *pattern, const ReText *text, size_t at, ReMode mode, bool at_start_not_empty);
// Compiles for form RE_BYTES, so that what PCRE2 refuses is told now.
Status re_check(Vm *vm, Pattern *pattern);
uint32_t re_last_group(const Pattern *pattern); // of the run before
void re_programs_free(Pattern *pattern);

// Reads the arguments string, pos and endpos of a method. text->value is to be released after ST_OK only.
Status re_text(Vm *vm, Pattern *pattern, const Value *args, ReText *text);
Status re_whole_text(Vm *vm, Pattern *pattern, Value given, ReText *text);
// Between bytes and characters of a text.
size_t re_char_at(Vm *vm, Pattern *pattern, Value text, size_t byte);
size_t re_byte_at(Vm *vm, Pattern *pattern, Value text, size_t place);
// A piece of a text; the empty one where from == RE_UNSET.
Status re_piece(Vm *vm, Value text, size_t from, size_t to, Value *out);

Status match_new(Vm *vm, Pattern *pattern, const ReText *text, Value *out); // of the run before
// Appends what a template (texts and numbers of groups in turn) gives for a match.
Status re_fill(Vm *vm, const Tuple *template, Value text, const size_t *spans, uint32_t groups, Buf *out);
Status re_fill_match(Vm *vm, const Value *args, Value *out); // fill(match, template)

// Walks from match to match; an empty one is not found where the one before has ended.
typedef struct ReWalk {
    Pattern *pattern;
    ReText text;
    size_t at;
    bool not_empty;
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
