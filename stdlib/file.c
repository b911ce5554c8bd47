// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// open() and file objects, which buffer reads and writes. Text files are UTF-8, with universal
// newlines on reading; binary files read and write bytes unchanged.
// The standard streams are files whose bytes go through the host's callbacks.

#include "stdlib/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stdlib/stdlib.h"
#include "vm/sched/engine.h"
#include "vm/value/bytes.h"
#include "vm/value/class.h"
#include "vm/value/effects.h"
#include "vm/value/object.h"
#include "vm/value/ops.h"
#include "vm/value/os_text.h"
#include "vm/value/seq.h"
#include "vm/value/str.h"

enum { READ_BYTES = 64 * 1024, FLUSH_BYTES = 64 * 1024, NO_FD = -1 };

// A file is a handle (effects.h): when a program runs on several ranks, one rank has the file itself, and the others
// have a stand-in with the same name, mode, stream, readable, writable and binary. Other fields are read only by
// natives with an effect, which run on the rank that has the file.
typedef struct File {
    GcObj gc;
    Str *name;
    Str *mode;
    int fd;       // NO_FD: a standard stream, or closed
    int stream;   // 0, 1, 2 for standard streams; -1 otherwise
    bool closed, readable, writable, at_end;
    bool binary, unbuffered;
    bool as_is;    // newline="" or "\n": reading does not translate line ends
    bool lf_alone; // newline="\n": only '\n' ends a line
    Buf in;        // bytes that were read; those from in_pos on are not consumed yet
    size_t in_pos;
    Buf out;      // bytes written and not flushed
} File;

static File *file_of(Value v) {
    return (File *)v.obj;
}

static Status file_new(Vm *vm, const char *name, const char *mode, Value *out) {
    File *file = obj_new(vm, K_FILE, sizeof *file);
    if (!file) return vm_no_memory(vm);
    file->fd = NO_FD;
    file->stream = -1;
    buf_init(&file->in, &vm->mem);
    buf_init(&file->out, &vm->mem);
    file->name = str_text(vm, name);
    file->mode = str_text(vm, mode);
    *out = v_obj(file);
    if (file->name && file->mode) return ST_OK;
    release(vm, *out);
    return vm_no_memory(vm);
}

Status file_standard(Vm *vm, int stream, Value *out) {
    static const char *const names[] = {"<stdin>", "<stdout>", "<stderr>"};
    Status st = file_new(vm, names[stream], stream ? "w" : "r", out);
    if (st != ST_OK) return st;
    file_of(*out)->stream = stream;
    file_of(*out)->readable = stream == 0;
    file_of(*out)->writable = stream != 0;
    return ST_OK;
}

Status file_facts(Vm *vm, Value file, Value *out) {
    const File *f = file_of(file);
    const Value items[] = {v_obj(f->name),       v_obj(f->mode),       v_int(f->stream),
                           v_bool(f->readable), v_bool(f->writable), v_bool(f->binary)};
    return tuple_of(vm, items, sizeof items / sizeof *items, out);
}

Status file_stand_in(Vm *vm, Value facts, Value *out) {
    const Value *items = facts.kind == K_TUPLE && facts.tuple->len == 6 ? facts.tuple->items : NULL;
    if (!items || items[0].kind != K_STR || items[1].kind != K_STR || items[2].kind != K_INT)
        return vm_raise(vm, EXC_TypeError, "these are no facts of a file");
    Status st = file_new(vm, items[0].str->data, items[1].str->data, out);
    if (st != ST_OK) return st;
    File *file = file_of(*out);
    file->stream = (int)items[2].i;
    file->readable = items[3].i;
    file->writable = items[4].i;
    file->binary = items[5].i;
    return ST_OK;
}

bool file_is_standard(Value v, int stream) {
    return v.kind == K_FILE && file_of(v)->stream == stream;
}

// --- open ------------------------------------------------------------------------------------------

typedef struct Mode {
    int flags;
    bool readable, writable, binary, unbuffered, as_is, lf_alone;
} Mode;

static Status parse_mode(Vm *vm, Str *text, Mode *mode) {
    char kind = 0;
    int kinds = 0;
    for (const char *c = text->data; *c; c++) {
        if (!strchr("rwaxtb+", *c) || strchr(c + 1, *c))
            return vm_raise(vm, EXC_ValueError, "invalid mode: '%s'", text->data);
        if (strchr("rwax", *c)) kind = *c, kinds++;
    }
    mode->binary = strchr(text->data, 'b') != NULL;
    if (mode->binary && strchr(text->data, 't'))
        return vm_raise(vm, EXC_ValueError, "can't have text and binary mode at once");
    if (kinds > 1)
        return vm_raise(vm, EXC_ValueError, "must have exactly one of create/read/write/append mode");
    bool plus = strchr(text->data, '+') != NULL;
    if (!kind)
        return vm_raise(vm, EXC_ValueError, "Must have exactly one of create/read/write/append "
                        "mode and at most one plus");
    mode->readable = kind == 'r' || plus;
    mode->writable = kind != 'r' || plus;
    mode->flags = plus ? O_RDWR : kind == 'r' ? O_RDONLY : O_WRONLY;
    if (kind == 'w') mode->flags |= O_CREAT | O_TRUNC;
    if (kind == 'a') mode->flags |= O_CREAT | O_APPEND;
    if (kind == 'x') mode->flags |= O_CREAT | O_EXCL;
    return ST_OK;
}

// Refuses the arguments encoding, errors and newline, which are for text only, for binary files.
static Status check_binary(Vm *vm, const Value *args) {
    static const char *const what[] = {"an encoding", "an errors", "a newline"};
    for (int i = 0; i < 3; i++)
        if (args[i].kind != K_NONE)
            return vm_raise(vm, EXC_ValueError, "binary mode doesn't take %s argument", what[i]);
    return ST_OK;
}

static Status parse_buffering(Vm *vm, Value v, Mode *mode) {
    int64_t size;
    if (op_index(vm, v, &size) != ST_OK) return op_refused(vm);
    mode->unbuffered = size == 0;
    if (size < -1) return vm_raise(vm, EXC_ValueError, "invalid buffering size");
    if (mode->unbuffered && !mode->binary)
        return vm_raise(vm, EXC_ValueError, "can't have unbuffered text I/O");
    return ST_OK;
}

// newline="" and "\n" leave line ends unchanged. "\r" and "\r\n" are treated as None on reading.
static Status parse_newline(Vm *vm, Value v, Mode *mode) {
    if (v.kind == K_NONE) return ST_OK;
    if (v.kind != K_STR)
        return vm_raise(vm, EXC_TypeError, "open() argument 'newline' must be str or None, not %s",
                        argument_type_name(vm, v));
    bool empty = str_is(v.str, ""), line = str_is(v.str, "\n");
    if (!empty && !line && !str_is(v.str, "\r") && !str_is(v.str, "\r\n"))
        return vm_raise(vm, EXC_ValueError, "illegal newline value: %s", v.str->data);
    mode->as_is = empty || line;
    mode->lf_alone = line;
    return ST_OK;
}

static Status check_encoding(Vm *vm, Value encoding) {
    if (encoding.kind == K_NONE) return ST_OK;
    static const char *const known[] = {"utf-8", "utf8", "UTF-8", "ascii", "utf_8"};
    for (size_t i = 0; encoding.kind == K_STR && i < sizeof known / sizeof *known; i++)
        if (str_is(encoding.str, known[i])) return ST_OK;
    return vm_raise(vm, EXC_NotImplementedError, "only the encoding 'utf-8' is supported");
}

static Status open_fd(Vm *vm, File *file, Str *path, Mode mode) {
    Buf name;
    struct stat info;
    file->closed = true;
    if (os_path_bytes(vm, v_obj(path), mode.writable ? ACCESS_WRITE : ACCESS_READ, &name) != ST_OK) return ST_ERROR;
    int fd = open(name.data, mode.flags | O_CLOEXEC, 0666), error = fd < 0 ? errno : 0;
    if (!error && fstat(fd, &info) == 0 && S_ISDIR(info.st_mode)) {
        close(fd);
        error = EISDIR;
    }
    if (error) vm_raise_os(vm, error, name.data);
    buf_free(&name);
    if (error) return ST_ERROR;
    file->fd = fd;
    file->closed = false;
    if (mode.flags & O_APPEND) lseek(fd, 0, SEEK_END); // fails for pipes, which have no end
    file->readable = mode.readable;
    file->writable = mode.writable;
    file->binary = mode.binary;
    file->unbuffered = mode.unbuffered;
    file->as_is = mode.as_is;
    file->lf_alone = mode.lf_alone;
    return ST_OK;
}

// Returns a path argument as text, owned.
static Status path_text(Vm *vm, Value v, Str **out) {
    Value path = unwrap(v);
    if (path.kind == K_BYTES) {
        *out = os_text(vm, path.bytes->data, path.bytes->len);
        return vm_check(vm, *out);
    }
    if (path.kind != K_STR)
        return vm_raise(vm, EXC_TypeError, "expected str, bytes or os.PathLike object, not %s",
                        type_name(vm, v));
    *out = retain(path).str;
    return ST_OK;
}

static Status open_file(Vm *vm, Str *path, Str *text, Mode mode, Value *out) {
    Value file;
    if (file_new(vm, path->data, text->data, &file) != ST_OK) return ST_ERROR;
    if (open_fd(vm, file_of(file), path, mode) != ST_OK) {
        release(vm, file);
        return ST_ERROR;
    }
    *out = file;
    return ST_OK;
}

static Status fn_open(Vm *vm, const Value *args, Value *out) {
    Mode mode = {0};
    Str *path;
    if (unwrap(args[0]).kind == K_INSTANCE) return ST_DEFER; // perhaps it has __fspath__
    if (args[1].kind != K_STR)
        return vm_raise(vm, EXC_TypeError, "open() argument 'mode' must be str, not %s",
                        argument_type_name(vm, args[1]));
    Status st = parse_mode(vm, args[1].str, &mode);
    if (st == ST_OK) st = parse_buffering(vm, args[2], &mode);
    if (st == ST_OK) st = mode.binary ? check_binary(vm, args + 3) : check_encoding(vm, args[3]);
    if (st == ST_OK && !mode.binary) st = parse_newline(vm, args[5], &mode);
    if (st == ST_OK) st = path_text(vm, args[0], &path);
    if (st != ST_OK) return st;
    st = open_file(vm, path, args[1].str, mode, out);
    release_obj(vm, path);
    return st;
}

const NativeDef file_functions[] = {
    {"open", "file, mode='r', buffering=-1, encoding=None, errors=None, newline=None", fn_open,
     "open_slow", FILESYSTEM},
    {0},
};

// --- Writing ---------------------------------------------------------------------------------------

static Status usable(Vm *vm, const File *file, bool writing) {
    if (file->closed && file->binary)
        return vm_raise(vm, EXC_ValueError, "%s closed file", writing ? "write to" : "read of");
    if (file->closed) return vm_raise(vm, EXC_ValueError, "I/O operation on closed file.");
    if (writing ? file->writable : file->readable) return ST_OK;
    return vm_raise(vm, EXC_OSError, writing ? "not writable" : "not readable");
}

static Status flush(Vm *vm, File *file) {
    size_t done = 0;
    while (file->fd != NO_FD && done < file->out.len) {
        ssize_t n = write(file->fd, file->out.data + done, file->out.len - done);
        if (n < 0 && errno == EINTR && !vm_interrupted(vm)) continue;
        if (n < 0) {
            int err = errno;
            // After an error the rest is dropped, so that close does not try it again. After an interrupt it is kept.
            file->out.len = err == EINTR ? file->out.len - done : 0;
            memmove(file->out.data, file->out.data + done, file->out.len);
            return vm_raise_os(vm, err, NULL);
        }
        done += (size_t)n;
    }
    file->out.len = 0;
    return ST_OK;
}

// Before a write to a binary file, drops what was read ahead and seeks back over it, so that the write goes to the
// position that reading has reached. (Text is written after what was read ahead, as in CPython.)
static void forget_unread(File *file) {
    size_t unread = file->in.len - file->in_pos;
    if (!file->binary || (unread && lseek(file->fd, -(off_t)unread, SEEK_CUR) < 0)) return; // a pipe cannot seek
    file->in.len = file->in_pos = 0;
    file->at_end = false;
}

static Status put(Vm *vm, File *file, const char *bytes, size_t len) {
    if (file->stream >= 0) {
        if (engine_observe_all(vm) != ST_OK) return ST_ERROR; // warnings of pending nodes come first
        if (vm->host.write(vm->host.ctx, file->stream, bytes, len)) return ST_OK;
        return vm_raise(vm, EXC_BrokenPipeError, "[Errno 32] Broken pipe");
    }
    forget_unread(file);
    buf_put(&file->out, bytes, len);
    if (file->out.failed) {
        file->out.failed = false;
        return vm_no_memory(vm);
    }
    return file->unbuffered || file->out.len >= FLUSH_BYTES ? flush(vm, file) : ST_OK;
}

// Writes a text that cannot be encoded to standard error, with escapes for the offending characters.
static Status put_shown(Vm *vm, File *file, const char *bytes, size_t len) {
    Buf shown;
    buf_init(&shown, &vm->mem);
    os_show(bytes, len, &shown);
    Status st = shown.failed ? vm_no_memory(vm) : put(vm, file, shown.data, shown.len);
    buf_free(&shown);
    return st;
}

static Status put_text(Vm *vm, File *file, const Str *text) {
    Status st = str_is_ascii(text) ? ST_OK : os_output(vm, text->data, text->len);
    if (st == ST_OK) return put(vm, file, text->data, text->len);
    if (file->stream != 2) return st;
    vm_clear_error(vm);
    return put_shown(vm, file, text->data, text->len);
}

// write(file, data): data is a str for a text file, bytes for a binary file.
static Status write_data(Vm *vm, const Value *args, Value *out) {
    File *file = file_of(args[0]);
    Value data = args[1];
    Status st = usable(vm, file, true);
    if (st != ST_OK) return st;
    if (file->binary) st = put(vm, file, data.bytes->data, data.bytes->len);
    else st = put_text(vm, file, data.str);
    if (st == ST_OK) *out = v_int(file->binary ? (int64_t)data.bytes->len : data.str->chars);
    return st;
}
static const NativeDef write_row = {"write", "self, data, /", write_data, NULL, FILESYSTEM};

static Status method_write(Vm *vm, const Value *args, Value *out) {
    Value pair[2] = {args[0], unwrap(args[1])};
    if (file_of(args[0])->binary) {
        Status st = bytes_need(vm, args[1], &pair[1]);
        if (st != ST_OK) return st;
        st = native_run(vm, &write_row, pair, out);
        release(vm, pair[1]);
        return st;
    }
    if (pair[1].kind == K_STR) return native_run(vm, &write_row, pair, out);
    return vm_raise(vm, EXC_TypeError, "write() argument must be str, not %s", argument_type_name(vm, args[1]));
}

static Status method_writelines(Vm *vm, const Value *args, Value *out) {
    Value list;
    Status st = op_to_list(vm, args[1], &list);
    if (st != ST_OK) return st;
    for (size_t i = 0; st == ST_OK && i < list.list->len; i++) {
        const Value pass[2] = {args[0], list.list->items[i]};
        Value count;
        st = method_write(vm, pass, &count);
    }
    release(vm, list);
    if (st == ST_OK) *out = V_NONE;
    return st;
}

static Status method_flush(Vm *vm, const Value *args, Value *out) {
    File *file = file_of(args[0]);
    if (file->closed) return vm_raise(vm, EXC_ValueError, "I/O operation on closed file.");
    Status st = file->stream >= 0 && file->writable ? put(vm, file, "", 0) : flush(vm, file);
    if (st == ST_OK) *out = V_NONE;
    return st;
}

// --- Reading ---------------------------------------------------------------------------------------

static Status read_more(Vm *vm, File *file) {
    if (file->stream == 0) {
        const char *line;
        if (vm_poll(vm) != ST_OK) return ST_ERROR; // an interrupt before the call would not end the host's wait
        long len = vm->host.read_line(vm->host.ctx, &line);
        if (len < 0 && vm_poll(vm) != ST_OK) return ST_ERROR;
        if (len < 0) return vm_raise(vm, EXC_OSError, "input failed");
        if (len == 0) file->at_end = true;
        buf_put(&file->in, line, len > 0 ? (size_t)len : 0);
    } else {
        buf_fill(&file->in, 0, READ_BYTES);
        if (!file->in.failed) {
            file->in.len -= READ_BYTES;
            ssize_t n;
            do n = read(file->fd, file->in.data + file->in.len, READ_BYTES);
            while (n < 0 && errno == EINTR && !vm_interrupted(vm));
            if (n < 0) return vm_raise_os(vm, errno, NULL);
            if (n == 0) file->at_end = true;
            file->in.len += (size_t)n;
        }
    }
    if (!file->in.failed) return vm_poll(vm);
    file->in.failed = false;
    return vm_no_memory(vm);
}

static void compact(File *file) {
    if (file->in_pos == 0) return;
    memmove(file->in.data, file->in.data + file->in_pos, file->in.len - file->in_pos);
    file->in.len -= file->in_pos;
    file->in_pos = 0;
}

// Returns the bytes that were read and not consumed; never NULL.
static const char *unread(const File *file) {
    return file->in.data ? file->in.data + file->in_pos : "";
}

// Returns the length of the first line with its end. 0: no end is among the `have` bytes, or they end
// with a '\r' that a '\n' may follow.
static size_t find_line(const char *start, size_t scanned, size_t have, bool at_end) {
    const char *newline = have > scanned ? memchr(start + scanned, '\n', have - scanned) : NULL;
    size_t before = newline ? (size_t)(newline - start) : have;
    const char *back = before > scanned ? memchr(start + scanned, '\r', before - scanned) : NULL;
    if (!back) return newline ? before + 1 : 0;
    size_t len = (size_t)(back - start) + 1;
    if (len == have) return at_end ? len : 0;
    return len + (back[1] == '\n');
}

// As find_line, when only '\n' ends a line.
static size_t find_newline(const char *start, size_t scanned, size_t have) {
    const char *newline = have > scanned ? memchr(start + scanned, '\n', have - scanned) : NULL;
    return newline ? (size_t)(newline - start) + 1 : 0;
}

// Returns in *len the length of the next line with its end, and reads more as needed. 0: end of file.
static Status line_length(Vm *vm, File *file, size_t *len) {
    size_t scanned = 0;
    for (;;) {
        const char *start = unread(file);
        size_t have = file->in.len - file->in_pos;
        *len = !have          ? 0
               : file->binary || file->lf_alone ? find_newline(start, scanned, have)
                                               : find_line(start, scanned, have, file->at_end);
        if (*len == 0 && file->at_end) *len = have;
        if (*len || file->at_end) return ST_OK;
        scanned = have ? have - 1 : 0; // looks again at the last byte, which may be a '\r'
        compact(file);
        if (read_more(vm, file) != ST_OK) return ST_ERROR;
    }
}

// Consumes `len` bytes of the buffer and returns them as bytes, or for a text file as a str with '\r\n' and '\r'
// translated to '\n'.
static Status take(Vm *vm, File *file, size_t len, Value *out) {
    const char *bytes = unread(file);
    if (file->binary) {
        Status st = bytes_out(vm, bytes_new(vm, bytes, len), out);
        if (st == ST_OK) file->in_pos += len;
        return st;
    }
    if (str_utf8_check(vm, bytes, len) != ST_OK) return ST_ERROR;
    file->in_pos += len;
    if (!len || file->as_is || !memchr(bytes, '\r', len)) return str_out(vm, str_new(vm, bytes, len), out);
    Buf text;
    buf_init(&text, &vm->mem);
    for (size_t i = 0; i < len; i++) {
        if (bytes[i] != '\r') buf_putc(&text, bytes[i]);
        else if (i + 1 == len || bytes[i + 1] != '\n') buf_putc(&text, '\n');
    }
    return str_buf_out(vm, &text, out);
}

// Returns the byte length of the first `count` characters of the buffered input. "\r\n" counts as one
// if line ends are translated.
static size_t code_points(const File *file, int64_t count) {
    size_t have = file->in.len - file->in_pos;
    if (file->binary) return have < (size_t)count ? have : (size_t)count;
    const char *at = unread(file), *end = at + (file->in.len - file->in_pos);
    const char *start = at;
    while (at < end && count > 0) {
        bool pair = !file->as_is && *at == '\r' && at + 1 < end && at[1] == '\n';
        at += pair ? 2 : 1;
        while (at < end && ((unsigned char)*at & 0xC0) == 0x80) at++;
        count--;
    }
    return (size_t)(at - start);
}

// Reads the next line, or at most `count` characters of it if count is not negative.
static Status read_line(Vm *vm, File *file, int64_t count, Value *out) {
    size_t len = 0;
    Status st = flush(vm, file);
    if (st == ST_OK) st = line_length(vm, file, &len);
    if (st != ST_OK) return st;
    size_t most = count < 0 ? len : code_points(file, count);
    return take(vm, file, most < len ? most : len, out);
}

// Reads the argument for the number of characters. *count is negative, which means all of them, for
// None, a negative number and a huge one.
static Status read_count(Vm *vm, Value size, int64_t *count) {
    *count = -1;
    if (size.kind == K_NONE) return ST_OK;
    if (op_index(vm, size, count) != ST_OK) {
        if (!vm_error_is(vm, EXC_TypeError)) return ST_ERROR;
        return vm_raise(vm, EXC_TypeError, "argument should be integer or None, not '%s'",
                        type_name(vm, size));
    }
    if (*count > INT64_MAX / 8) *count = -1;
    return ST_OK;
}

static Status method_read(Vm *vm, const Value *args, Value *out) {
    File *file = file_of(args[0]);
    int64_t count;
    if (usable(vm, file, false) != ST_OK) return ST_ERROR;
    if (read_count(vm, args[1], &count) != ST_OK) return ST_ERROR;
    if (flush(vm, file) != ST_OK) return ST_ERROR;
    while (!file->at_end && (count < 0 || (int64_t)(file->in.len - file->in_pos) <= 4 * count)) {
        compact(file);
        if (read_more(vm, file) != ST_OK) return ST_ERROR;
    }
    size_t have = file->in.len - file->in_pos;
    return take(vm, file, count < 0 ? have : code_points(file, count), out);
}

static Status method_readline(Vm *vm, const Value *args, Value *out) {
    File *file = file_of(args[0]);
    int64_t count;
    if (usable(vm, file, false) != ST_OK) return ST_ERROR;
    if (read_count(vm, args[1], &count) != ST_OK) return ST_ERROR;
    return read_line(vm, file, count, out);
}

static size_t line_size(Value line) {
    return line.kind == K_STR ? line.str->len : line.bytes->len;
}

static Status next_line(Vm *vm, const Value *args, Value *out) {
    File *file = file_of(args[0]);
    Value line;
    if (usable(vm, file, false) != ST_OK || read_line(vm, file, -1, &line) != ST_OK)
        return ST_ERROR;
    if (line_size(line) == 0) {
        release(vm, line);
        return ST_STOP;
    }
    *out = line;
    return ST_OK;
}
static const NativeDef next_row = {"__next__", "self, /", next_line, NULL, FILESYSTEM};

static Status file_next(Vm *vm, Value self, Value *out) {
    return native_run(vm, &next_row, &self, out);
}

// Reads lines until the end, or until they have more than `hint` characters together.
static Status method_readlines(Vm *vm, const Value *args, Value *out) {
    int64_t hint;
    if (read_count(vm, args[1], &hint) != ST_OK) return ST_ERROR;
    List *list = list_new(vm, 16);
    Value line;
    if (!list) return vm_no_memory(vm);
    Status st = ST_OK;
    for (int64_t total = 0; hint <= 0 || total <= hint;) {
        if ((st = next_line(vm, args, &line)) != ST_OK) break;
        total += (int64_t)(line.kind == K_STR ? line.str->chars : line.bytes->len);
        if ((st = list_append(vm, list, line)) != ST_OK) break;
    }
    if (st == ST_OK || st == ST_STOP) {
        *out = v_obj(list);
        return ST_OK;
    }
    release_obj(vm, list);
    return st;
}

// --- Closing and the rest --------------------------------------------------------------------------

static Status close_file(Vm *vm, File *file) {
    if (file->closed) return ST_OK;
    Status st = flush(vm, file);
    file->closed = true;
    int fd = file->fd;
    file->fd = NO_FD;
    if (fd != NO_FD && close(fd) != 0 && st == ST_OK)
        st = vm_raise_os(vm, errno, NULL);
    return st;
}

static Status method_close(Vm *vm, const Value *args, Value *out) {
    Status st = close_file(vm, file_of(args[0]));
    if (st == ST_OK) *out = V_NONE;
    return st;
}

static Status closed(Vm *vm, const Value *args, Value *out) {
    (void)vm;
    *out = v_bool(file_of(args[0])->closed);
    return ST_OK;
}
static const NativeDef closed_row = {"closed", "self, /", closed, NULL, FILESYSTEM};

static Status get_closed(Vm *vm, Value self, Value *out) {
    return native_run(vm, &closed_row, &self, out);
}

static Status method_enter(Vm *vm, const Value *args, Value *out) {
    Value is_closed;
    if (get_closed(vm, args[0], &is_closed) != ST_OK) return ST_ERROR;
    if (is_closed.i) return vm_raise(vm, EXC_ValueError, "I/O operation on closed file.");
    *out = retain(args[0]);
    return ST_OK;
}

static Status method_exit(Vm *vm, const Value *args, Value *out) {
    return method_close(vm, args, out);
}

static Status seekable(Vm *vm, const File *file) {
    if (file->closed) return vm_raise(vm, EXC_ValueError, "I/O operation on closed file.");
    if (file->fd == NO_FD) return vm_raise(vm, EXC_OSError, "underlying stream is not seekable");
    return ST_OK;
}

static int64_t unread_bytes(const File *file) {
    return (int64_t)(file->in.len - file->in_pos);
}

static Status method_seek(Vm *vm, const Value *args, Value *out) {
    File *file = file_of(args[0]);
    int64_t offset, whence;
    if (seekable(vm, file) != ST_OK) return ST_ERROR;
    if (op_index(vm, args[1], &offset) != ST_OK || op_index(vm, args[2], &whence) != ST_OK)
        return op_refused(vm);
    if ((whence < 0 || whence > 2) && file->binary)
        return vm_raise(vm, EXC_ValueError, "whence value %d unsupported", (int)whence);
    if (whence < 0 || whence > 2)
        return vm_raise(vm, EXC_ValueError, "invalid whence (%d, should be 0, 1 or 2)",
                        (int)whence);
    if (whence == 0 && offset < 0 && !file->binary)
        return vm_raise(vm, EXC_ValueError, "negative seek position %" PRId64, offset);
    if (flush(vm, file) != ST_OK) return ST_ERROR;
    if (whence == SEEK_CUR && __builtin_sub_overflow(offset, unread_bytes(file), &offset))
        return vm_raise_os(vm, EINVAL, NULL);
    off_t at = lseek(file->fd, (off_t)offset, (int)whence);
    if (at < 0) return vm_raise_os(vm, errno, NULL);
    file->in.len = file->in_pos = 0;
    file->at_end = false;
    *out = v_int(at);
    return ST_OK;
}

// Returns the program's position in the file: that of the descriptor, without the bytes read ahead,
// plus those that are buffered for writing.
static Status position(Vm *vm, const File *file, int64_t *out) {
    if (seekable(vm, file) != ST_OK) return ST_ERROR;
    off_t at = lseek(file->fd, 0, SEEK_CUR);
    if (at < 0) return vm_raise_os(vm, errno, NULL);
    *out = at - unread_bytes(file) + (int64_t)file->out.len;
    return ST_OK;
}

static Status method_tell(Vm *vm, const Value *args, Value *out) {
    int64_t at;
    Status st = position(vm, file_of(args[0]), &at);
    if (st == ST_OK) *out = v_int(at);
    return st;
}

static Status method_truncate(Vm *vm, const Value *args, Value *out) {
    File *file = file_of(args[0]);
    int64_t size;
    Status st = position(vm, file, &size);
    if (st == ST_OK) st = usable(vm, file, true);
    if (st == ST_OK && args[1].kind != K_NONE && op_index(vm, args[1], &size) != ST_OK)
        return op_refused(vm);
    if (st == ST_OK) st = flush(vm, file);
    if (st != ST_OK) return st;
    if (ftruncate(file->fd, (off_t)size) != 0) return vm_raise_os(vm, errno, NULL);
    *out = v_int(size);
    return ST_OK;
}

static Status method_fileno(Vm *vm, const Value *args, Value *out) {
    File *file = file_of(args[0]);
    if (file->closed) return vm_raise(vm, EXC_ValueError, "I/O operation on closed file");
    *out = v_int(file->stream >= 0 ? file->stream : file->fd);
    return ST_OK;
}

static Status method_true(Vm *vm, const Value *args, bool answer, Value *out) {
    if (file_of(args[0])->closed)
        return vm_raise(vm, EXC_ValueError, "I/O operation on closed file");
    *out = v_bool(answer);
    return ST_OK;
}
static Status method_readable(Vm *vm, const Value *args, Value *out) {
    return method_true(vm, args, file_of(args[0])->readable, out);
}
static Status method_writable(Vm *vm, const Value *args, Value *out) {
    return method_true(vm, args, file_of(args[0])->writable, out);
}
static Status method_seekable(Vm *vm, const Value *args, Value *out) {
    int fd = file_of(args[0])->fd;
    return method_true(vm, args, fd != NO_FD && lseek(fd, 0, SEEK_CUR) >= 0, out);
}
static Status method_isatty(Vm *vm, const Value *args, Value *out) {
    return method_true(vm, args, file_of(args[0])->fd != NO_FD && isatty(file_of(args[0])->fd), out);
}

static const NativeDef methods[] = {
    {"write", "self, text, /", method_write, NULL, INNER},
    {"truncate", "self, size=None, /", method_truncate, NULL, FILESYSTEM},
    {"writelines", "self, lines, /", method_writelines, "file_writelines_slow", INNER},
    {"flush", "self, /", method_flush, NULL, FILESYSTEM},
    {"read", "self, size=None, /", method_read, NULL, FILESYSTEM},
    {"readline", "self, size=None, /", method_readline, NULL, FILESYSTEM},
    {"readlines", "self, hint=None, /", method_readlines, NULL, FILESYSTEM},
    {"close", "self, /", method_close, NULL, FILESYSTEM},
    {"seek", "self, offset, whence=0, /", method_seek, NULL, FILESYSTEM},
    {"tell", "self, /", method_tell, NULL, FILESYSTEM},
    {"readable", "self, /", method_readable, NULL, FILESYSTEM},
    {"writable", "self, /", method_writable, NULL, FILESYSTEM},
    {"seekable", "self, /", method_seekable, NULL, FILESYSTEM},
    {"fileno", "self, /", method_fileno, NULL, FILESYSTEM},
    {"isatty", "self, /", method_isatty, NULL, FILESYSTEM},
    {"__enter__", "self, /", method_enter, NULL, INNER},
    {"__exit__", "self, type, value, traceback, /", method_exit, NULL, FILESYSTEM},
    {0},
};

static Status get_name(Vm *vm, Value self, Value *out) {
    (void)vm;
    *out = retain(v_obj(file_of(self)->name));
    return ST_OK;
}
// The mode of a binary file is rebuilt from what it can do ("rb+" for "wb+"), as CPython's is.
static Status get_mode(Vm *vm, Value self, Value *out) {
    const File *file = file_of(self);
    bool both = file->readable && file->writable;
    char first = strpbrk(file->mode->data, "ax") ? *strpbrk(file->mode->data, "ax")
                 : file->readable                ? 'r'
                                                 : 'w';
    const char text[] = {first, 'b', both ? '+' : '\0', '\0'};
    if (file->binary) return str_out(vm, str_text(vm, text), out);
    *out = retain(v_obj(file_of(self)->mode));
    return ST_OK;
}
static Status get_encoding(Vm *vm, Value self, Value *out) {
    if (file_of(self)->binary)
        return vm_raise(vm, EXC_AttributeError, "binary files have no attribute 'encoding'");
    return str_out(vm, str_text(vm, "utf-8"), out);
}

// sys.stdout.buffer and sys.stderr.buffer: a binary file for the same stream.
static Status get_buffer(Vm *vm, Value self, Value *out) {
    const File *file = file_of(self);
    if (file->binary)
        return vm_raise(vm, EXC_AttributeError, "binary files have no attribute 'buffer'");
    if (file->stream <= 0)
        return vm_raise(vm, EXC_NotImplementedError,
                        "buffer: open the file with mode '%s' for its bytes",
                        file->writable ? "wb" : "rb");
    Status st = file_standard(vm, file->stream, out);
    if (st == ST_OK) file_of(*out)->binary = true;
    return st;
}

static const AttrDef attrs[] = {
    {"buffer", get_buffer, NULL},
    {"name", get_name, NULL},
    {"mode", get_mode, NULL},
    {"closed", get_closed, NULL},
    {"encoding", get_encoding, NULL},
    {0},
};

static void visit(Obj *obj, Visitor *visitor) {
    visit_obj(visitor, ((File *)obj)->name);
    visit_obj(visitor, ((File *)obj)->mode);
}

// Flushes and closes a file that is not referenced any more. A failure is ignored, and a pending
// exception is kept.
static void drop(Vm *vm, Obj *obj) {
    File *file = (File *)obj;
    Value pending = vm->error;
    vm->error = V_UNDEF;
    if (close_file(vm, file) != ST_OK) vm_clear_error(vm);
    vm->error = pending;
    buf_free(&file->in);
    buf_free(&file->out);
    file->in_pos = 0;
    if (obj->refs > 0) return;
    release_obj(vm, file->name);
    release_obj(vm, file->mode);
}

static size_t size(const Obj *obj) {
    (void)obj;
    return sizeof(File);
}

static Status iter(Vm *vm, Value self, Value *out) {
    (void)vm;
    *out = retain(self);
    return ST_OK;
}

static Status repr(Vm *vm, Value self, Buf *out, int depth) {
    (void)vm;
    (void)depth;
    const File *file = file_of(self);
    const char *kind = file->unbuffered                    ? "FileIO"
                       : file->readable && file->writable ? "BufferedRandom"
                       : file->readable                   ? "BufferedReader"
                                                          : "BufferedWriter";
    if (file->binary)
        buf_printf(out, "<_io.%s name='%s'>", kind, file->name->data);
    else
        buf_printf(out, "<_io.TextIOWrapper name='%s' mode='%s' encoding='utf-8'>",
                   file->name->data, file->mode->data);
    return ST_OK;
}

const TypeSlots kind_FILE = {
    .visit = visit,
    .drop = drop,
    .size = size,
    .iter = iter,
    .next = file_next,
    .repr = repr,
    .methods = methods,
    .attrs = attrs,
};
