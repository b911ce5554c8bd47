// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Module _csv: splits lines into fields and joins fields to rows, for csv.ncr.
//
// A dialect is passed as a tuple (delimiter, quotechar, escapechar, lineterminator, doublequote, skipinitialspace,
// quoting, strict). A quotechar or escapechar of '' is absent.

#include <inttypes.h>
#include <string.h>

#include "stdlib/stdlib.h"
#include "vm/value/class.h"
#include "vm/value/effects.h"
#include "vm/value/num.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"
#include "vm/value/str.h"

enum { QUOTE_MINIMAL, QUOTE_ALL, QUOTE_NONNUMERIC, QUOTE_NONE };

typedef struct Dialect {
    // The first three have one character; quote and escape are empty if absent. `end` is the line terminator.
    const Str *delimiter, *quote, *escape, *end;
    bool doubled, skip_space, strict;
    int64_t quoting;
} Dialect;

static Status bad_arguments(Vm *vm) {
    return vm_raise(vm, EXC_TypeError, "_csv is for module csv");
}

static Status read_dialect(Vm *vm, Value v, Dialect *out) {
    enum { TEXTS = 4, ITEMS = 8 };
    if (v.kind != K_TUPLE || v.tuple->len != ITEMS) return bad_arguments(vm);
    const Value *items = v.tuple->items;
    for (int i = 0; i < ITEMS; i++)
        if (i < TEXTS ? items[i].kind != K_STR : items[i].kind != K_INT) return bad_arguments(vm);
    *out = (Dialect){items[0].str, items[1].str, items[2].str, items[3].str,
                     items[4].i, items[5].i, items[7].i, items[6].i};
    return ST_OK;
}

static inline bool is_at(const Str *special, const char *at, const char *end) {
    size_t len = special->len;
    return len && *at == special->data[0] && (size_t)(end - at) >= len && memcmp(at, special->data, len) == 0;
}

// --- Reading -----------------------------------------------------------------------------------

typedef enum State {
    START_RECORD, START_FIELD, ESCAPED, IN_FIELD, IN_QUOTED, ESCAPED_IN_QUOTED, QUOTE_IN_QUOTED, END_OF_LINE,
    AFTER_ESCAPED_END,
} State;

typedef struct Reader {
    Vm *vm;
    const Dialect *dialect;
    List *fields;
    Buf field;      // the text so far of the current field
    State state;
    bool number;    // the current field is unquoted under QUOTE_NONNUMERIC, and so a number
    int64_t limit;  // of characters in a field
} Reader;

// Raises SyntaxError, which module csv turns into csv.Error.
static Status csv_error(Vm *vm, const char *text) {
    return vm_raise(vm, EXC_SyntaxError, "%s", text);
}

static Status put(Reader *r, const char *from, size_t len) {
    buf_put(&r->field, from, len);
    if (r->field.failed) return vm_no_memory(r->vm);
    if ((int64_t)r->field.len <= r->limit) return ST_OK;
    int64_t chars = 0;
    for (size_t i = 0; i < r->field.len; i++) chars += ((unsigned char)r->field.data[i] & 0xC0) != 0x80;
    if (chars <= r->limit) return ST_OK;
    return vm_raise(r->vm, EXC_SyntaxError, "field larger than field limit (%" PRId64 ")", r->limit);
}

// Appends the current field to the list, as a float if it is a number. If a number continues in the next line, its text
// so far is appended in a tuple, by which resume() recognises it.
static Status save(Reader *r) {
    Value text, item;
    Status st = str_out(r->vm, str_new(r->vm, r->field.data ? r->field.data : "", r->field.len), &text);
    if (st != ST_OK) return st;
    item = text;
    if (r->number) {
        bool whole = r->state == START_RECORD || r->state == START_FIELD || r->state == END_OF_LINE;
        st = whole ? native_run(r->vm, kind_slots[K_FLOAT]->construct, &text, &item) : tuple_of(r->vm, &text, 1, &item);
        release(r->vm, text);
        if (st != ST_OK) return st;
    }
    r->field.len = 0;
    r->number = false;
    return list_append(r->vm, r->fields, item);
}

static Status end_field(Reader *r, State next) {
    r->state = next;
    return save(r);
}

static bool is_end(char c) {
    return c == '\n' || c == '\r';
}

static const char *stop_of(const Dialect *d, const char *at, const char *end) {
    char delimiter = d->delimiter->data[0], escape = d->escape->len ? d->escape->data[0] : '\n';
    while (at < end && *at != delimiter && *at != escape && !is_end(*at)) at++;
    return at;
}

// Consumes `*len` bytes at the start of a field, or within an unquoted one.
static Status take_plain(Reader *r, const char *at, const char *end, size_t *len) {
    const Dialect *d = r->dialect;
    bool first = r->state == START_FIELD;
    if (is_end(*at)) return end_field(r, END_OF_LINE);
    if (is_at(d->delimiter, at, end)) {
        *len = d->delimiter->len;
        return end_field(r, START_FIELD);
    }
    if (is_at(d->escape, at, end)) {
        *len = d->escape->len;
        r->state = ESCAPED;
        return ST_OK;
    }
    if (first && d->quoting != QUOTE_NONE && is_at(d->quote, at, end)) {
        *len = d->quote->len;
        r->state = IN_QUOTED;
        return ST_OK;
    }
    if (first && *at == ' ' && d->skip_space) return ST_OK;
    if (first) {
        r->number = d->quoting == QUOTE_NONNUMERIC;
        r->state = IN_FIELD; // otherwise AFTER_ESCAPED_END stays: such a field may go on in the next line
    }
    // Consumes all bytes up to the next one with a special meaning.
    *len = (size_t)(stop_of(d, at + 1, end) - at);
    return put(r, at, *len);
}

static Status take_quoted(Reader *r, const char *at, const char *end, size_t *len) {
    const Dialect *d = r->dialect;
    if (is_at(d->escape, at, end)) {
        *len = d->escape->len;
        r->state = ESCAPED_IN_QUOTED;
        return ST_OK;
    }
    if (d->quoting != QUOTE_NONE && is_at(d->quote, at, end)) {
        *len = d->quote->len;
        r->state = d->doubled ? QUOTE_IN_QUOTED : IN_FIELD;
        return ST_OK;
    }
    char quote = d->quote->len ? d->quote->data[0] : '\0', escape = d->escape->len ? d->escape->data[0] : quote;
    const char *stop = at + 1;
    while (stop < end && *stop != quote && *stop != escape) stop++;
    *len = (size_t)(stop - at);
    return put(r, at, *len);
}

static Status take_after_quote(Reader *r, const char *at, const char *end, size_t *len) {
    const Dialect *d = r->dialect;
    if (is_at(d->quote, at, end)) {
        *len = d->quote->len;
        r->state = IN_QUOTED;
        return put(r, at, *len);
    }
    if (is_end(*at)) return end_field(r, END_OF_LINE);
    if (is_at(d->delimiter, at, end)) {
        *len = d->delimiter->len;
        return end_field(r, START_FIELD);
    }
    if (d->strict)
        return vm_raise(r->vm, EXC_SyntaxError, "'%s' expected after '%s'", d->delimiter->data, d->quote->data);
    r->state = IN_FIELD;
    return put(r, at, 1);
}

// Consumes the UTF-8 character after an escape character.
static Status take_escaped(Reader *r, const char *at, const char *end, size_t *len) {
    while (at + *len < end && ((unsigned char)at[*len] & 0xC0) == 0x80) ++*len;
    r->state = r->state == ESCAPED_IN_QUOTED ? IN_QUOTED : is_end(*at) ? AFTER_ESCAPED_END : IN_FIELD;
    return put(r, at, *len);
}

// Fast path: consumes a field without escapes or doubled quotes that ends in this line, together with its delimiter or
// line end, and appends it without a copy to the buffer. ST_NOTIMPL: the field is not of this kind.
static Status take_whole(Reader *r, const char *at, const char *end, size_t *len) {
    const Dialect *d = r->dialect;
    if (d->quoting == QUOTE_NONNUMERIC || d->delimiter->len != 1 || d->quote->len > 1 || (*at == ' ' && d->skip_space))
        return ST_NOTIMPL;
    const char *from = at, *to, *next;
    if (d->quote->len && *at == d->quote->data[0] && d->quoting != QUOTE_NONE) {
        from = at + 1;
        to = d->escape->len ? NULL : memchr(from, *at, (size_t)(end - from));
        if (!to) return ST_NOTIMPL;
        next = to + 1;
    } else {
        next = to = stop_of(d, at, end);
    }
    bool delimited = next < end && *next == d->delimiter->data[0];
    if ((next < end && !delimited && !is_end(*next)) || to - from > r->limit) return ST_NOTIMPL;
    Value text;
    Status st = str_out(r->vm, str_new(r->vm, from, (size_t)(to - from)), &text);
    if (st != ST_OK) return st;
    *len = (size_t)(next - at) + (next < end);
    r->state = delimited ? START_FIELD : END_OF_LINE;
    return list_append(r->vm, r->fields, text);
}

static Status take_first(Reader *r, const char *at, const char *end, size_t *len) {
    Status st = take_whole(r, at, end, len);
    return st == ST_NOTIMPL ? take_plain(r, at, end, len) : st;
}

static Status take(Reader *r, const char *at, const char *end, size_t *len) {
    *len = 1;
    switch (r->state) {
    case START_RECORD:
        if (is_end(*at)) {
            r->state = END_OF_LINE;
            return ST_OK;
        }
        r->state = START_FIELD;
        return take_first(r, at, end, len);
    case START_FIELD: return take_first(r, at, end, len);
    case IN_FIELD:
    case AFTER_ESCAPED_END: return take_plain(r, at, end, len);
    case ESCAPED:
    case ESCAPED_IN_QUOTED: return take_escaped(r, at, end, len);
    case IN_QUOTED: return take_quoted(r, at, end, len);
    case QUOTE_IN_QUOTED: return take_after_quote(r, at, end, len);
    case END_OF_LINE: break;
    }
    if (is_end(*at)) return ST_OK;
    return csv_error(r->vm, "new-line character seen in unquoted field - do you need to open the file in "
                            "universal-newline mode?");
}

static Status end_line(Reader *r) {
    switch (r->state) {
    case START_FIELD:
    case IN_FIELD:
    case QUOTE_IN_QUOTED: return end_field(r, START_RECORD);
    case ESCAPED: r->state = IN_FIELD; return put(r, "\n", 1);
    case ESCAPED_IN_QUOTED: r->state = IN_QUOTED; return put(r, "\n", 1);
    case END_OF_LINE: r->state = START_RECORD; return ST_OK;
    default: return ST_OK;
    }
}

// Takes an unfinished field of the previous line back from the list into the buffer.
static void resume(Reader *r) {
    if (r->state == START_RECORD || r->fields->len == 0) return;
    Value last = r->fields->items[--r->fields->len];
    r->number = last.kind == K_TUPLE;
    Value text = r->number && last.tuple->len == 1 ? last.tuple->items[0] : last;
    if (text.kind == K_STR) buf_put(&r->field, text.str->data, text.str->len);
    release(r->vm, last);
}

// parse(fields, state, line, dialect, limit): appends the line's fields. Returns the state to pass with the next line:
// 0, or another one if the last field continues there.
static Status fn_parse(Vm *vm, const Value *args, Value *out) {
    enum { EVERY = 1 << 16 };
    Dialect dialect;
    if (read_dialect(vm, args[3], &dialect) != ST_OK) return ST_ERROR;
    Value line = unwrap(args[2]);
    if (args[0].kind != K_LIST || args[1].kind != K_INT || args[1].i < 0 || args[1].i > AFTER_ESCAPED_END ||
        line.kind != K_STR || args[4].kind != K_INT || dialect.delimiter->len == 0)
        return bad_arguments(vm);
    Reader r = {.vm = vm, .dialect = &dialect, .fields = args[0].list, .state = (State)args[1].i, .limit = args[4].i};
    buf_init(&r.field, &vm->mem);
    resume(&r);
    const char *at = line.str->data, *end = at + line.str->len;
    Status st = ST_OK;
    for (size_t len, n = 1; st == ST_OK && at < end; at += len, n++) {
        st = take(&r, at, end, &len);
        if (n % EVERY == 0 && st == ST_OK) st = vm_poll(vm);
    }
    if (st == ST_OK) st = end_line(&r);
    if (st == ST_OK && r.state != START_RECORD) st = save(&r);
    buf_free(&r.field);
    if (st == ST_OK) *out = v_int(r.state);
    return st;
}

// --- Writing -----------------------------------------------------------------------------------

static bool is_special(const Dialect *d, const char *at, const char *end) {
    return is_at(d->delimiter, at, end) || is_at(d->escape, at, end) || is_at(d->quote, at, end) ||
           (*at && !((unsigned char)*at & 0x80) && memchr(d->end->data, *at, d->end->len));
}

static Status put_char(Vm *vm, const Dialect *d, const char *at, const char *end, bool *quoted, Buf *out) {
    bool is_quote = is_at(d->quote, at, end);
    bool escaped = d->quoting == QUOTE_NONE || (is_quote ? !d->doubled : is_at(d->escape, at, end));
    if (escaped) {
        if (!d->escape->len) return csv_error(vm, "need to escape, but no escapechar set");
        buf_put(out, d->escape->data, d->escape->len);
        return ST_OK;
    }
    if (is_quote) buf_put(out, d->quote->data, d->quote->len);
    *quoted = true;
    return ST_OK;
}

// Writes the field's text with its escapes. Sets *quoted if a character in it needs quotes around the field.
static Status put_field(Vm *vm, const Dialect *d, const Str *text, bool *quoted, Buf *out) {
    const char *at = text->data, *end = at + text->len;
    while (at < end) {
        const char *from = at;
        while (at < end && !is_special(d, at, end)) at++;
        buf_put(out, from, (size_t)(at - from));
        if (at == end) break;
        Status st = put_char(vm, d, at, end, quoted, out);
        if (st != ST_OK) return st;
        buf_putc(out, *at++);
    }
    return ST_OK;
}

static Status field_text(Vm *vm, Value field, Value *out) {
    if (field.kind == K_NONE) return str_out(vm, str_new(vm, "", 0), out);
    if (field.kind != K_STR) return op_str_value(vm, field, out);
    *out = retain(field);
    return ST_OK;
}

static Status join_field(Vm *vm, const Dialect *d, Value field, bool number, bool alone, Buf *scratch, Buf *out) {
    Value text;
    Status st = field_text(vm, field, &text);
    if (st != ST_OK) return st;
    bool quoted = d->quoting == QUOTE_ALL || (d->quoting == QUOTE_NONNUMERIC && !number);
    scratch->len = 0;
    if (text.str->len == 0 && alone && d->quoting == QUOTE_NONE)
        st = csv_error(vm, "single empty field record must be quoted");
    else
        st = put_field(vm, d, text.str, &quoted, scratch);
    if (text.str->len == 0 && alone) quoted = true;
    release(vm, text);
    if (quoted) buf_put(out, d->quote->data, d->quote->len);
    buf_put(out, scratch->data, scratch->len);
    if (quoted) buf_put(out, d->quote->data, d->quote->len);
    return st;
}

static bool is_simple(Value v) {
    return v.kind == K_STR || v.kind == K_NONE || v.kind == K_INT || v.kind == K_FLOAT || v.kind == K_BOOL ||
           v.kind == K_BIGINT || v.kind == K_COMPLEX || is_numpy_scalar(v);
}

static bool is_numeric(Value v) {
    return v.kind != K_STR && v.kind != K_NONE;
}

// join(fields, dialect, numbers=None): returns the row as text, or None if a field is not a simple value. If the fields
// have been converted to texts already, `numbers` has True for those that were numbers.
static Status fn_join(Vm *vm, const Value *args, Value *out) {
    Dialect dialect;
    if (read_dialect(vm, args[1], &dialect) != ST_OK) return ST_ERROR;
    if (args[0].kind != K_LIST) return bad_arguments(vm);
    const List *fields = args[0].list, *numbers = args[2].kind == K_LIST ? args[2].list : NULL;
    if (numbers && numbers->len != fields->len) return bad_arguments(vm);
    for (size_t i = 0; i < fields->len; i++)
        if (!is_simple(fields->items[i])) {
            *out = V_NONE;
            return ST_OK;
        }
    Buf buf, scratch;
    buf_init(&buf, &vm->mem);
    buf_init(&scratch, &vm->mem);
    Status st = ST_OK;
    for (size_t i = 0; st == ST_OK && i < fields->len; i++) {
        if (i) buf_put(&buf, dialect.delimiter->data, dialect.delimiter->len);
        Value field = fields->items[i];
        bool number = numbers ? numbers->items[i].kind == K_BOOL && numbers->items[i].i : is_numeric(field);
        st = join_field(vm, &dialect, field, number, fields->len == 1, &scratch, &buf);
        if (scratch.failed) st = vm_no_memory(vm);
        if (st == ST_OK && i % 65536 == 65535) st = vm_poll(vm);
    }
    buf_free(&scratch);
    buf_put(&buf, dialect.end->data, dialect.end->len);
    if (st == ST_OK) return str_buf_out(vm, &buf, out);
    buf_free(&buf);
    return st;
}

const NativeDef csv_functions[] = {
    {"parse", "fields, state, line, dialect, limit, /", fn_parse, NULL, PURE},
    {"join", "fields, dialect, numbers=None, /", fn_join, NULL, PURE},
    {0},
};
