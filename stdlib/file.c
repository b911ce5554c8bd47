// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// open() for text, and file objects: UTF-8, universal newlines on reading, buffered both ways.
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
#include "vm/value/class.h"
#include "vm/value/object.h"
#include "vm/value/ops.h"
#include "vm/value/os_text.h"
#include "vm/value/seq.h"
#include "vm/value/str.h"

enum { READ_BYTES = 64 * 1024, FLUSH_BYTES = 64 * 1024, NO_FD = -1 };

typedef struct File {
    GcObj gc;
    Str *name;
    Str *mode;
    int fd;       // NO_FD: a standard stream, or closed
    int stream;   // 0, 1, 2 for standard streams; -1 otherwise
    bool closed, readable, writable, at_end;
    Buf in;       // bytes read and not consumed: from in_pos on
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

// --- open ------------------------------------------------------------------------------------------

typedef struct Mode {
    int flags;
    bool readable, writable;
} Mode;

static Status parse_mode(Vm *vm, Str *text, Mode *mode) {
    char kind = 0;
    int kinds = 0;
    for (const char *c = text->data; *c; c++) {
        if (*c == 'b')
            return vm_raise(vm, EXC_NotImplementedError, "binary files are not supported by open()");
        if (!strchr("rwaxt+", *c) || strchr(c + 1, *c))
            return vm_raise(vm, EXC_ValueError, "invalid mode: '%s'", text->data);
        if (strchr("rwax", *c)) kind = *c, kinds++;
    }
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
    if (os_bytes(vm, v_obj(path), &name) != ST_OK) return ST_ERROR;
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
    return ST_OK;
}

static Status fn_open(Vm *vm, const Value *args, Value *out) {
    Mode mode = {0};
    Value path = unwrap(args[0]);
    if (path.kind != K_STR)
        return vm_raise(vm, EXC_TypeError, "expected str, bytes or os.PathLike object, not %s",
                        type_name(vm, args[0]));
    if (args[1].kind != K_STR)
        return vm_raise(vm, EXC_TypeError, "open() argument 'mode' must be str, not %s",
                        argument_type_name(vm, args[1]));
    if (parse_mode(vm, args[1].str, &mode) != ST_OK || check_encoding(vm, args[3]) != ST_OK)
        return ST_ERROR;
    Value file;
    if (file_new(vm, path.str->data, args[1].str->data, &file) != ST_OK) return ST_ERROR;
    if (open_fd(vm, file_of(file), path.str, mode) != ST_OK) {
        release(vm, file);
        return ST_ERROR;
    }
    *out = file;
    return ST_OK;
}

const NativeDef file_functions[] = {
    {"open", "file, mode='r', buffering=-1, encoding=None, errors=None, newline=None", fn_open,
     NULL, FILESYSTEM},
    {0},
};

// --- Writing ---------------------------------------------------------------------------------------

static Status usable(Vm *vm, const File *file, bool writing) {
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
            // What could not be written is not tried again at close; what Ctrl-C came before, is.
            file->out.len = err == EINTR ? file->out.len - done : 0;
            memmove(file->out.data, file->out.data + done, file->out.len);
            return vm_raise_os(vm, err, NULL);
        }
        done += (size_t)n;
    }
    file->out.len = 0;
    return ST_OK;
}

static Status put(Vm *vm, File *file, const char *bytes, size_t len) {
    if (file->stream >= 0) {
        if (engine_observe_all(vm) != ST_OK) return ST_ERROR; // its warnings come first
        if (vm->host.write(vm->host.ctx, file->stream, bytes, len)) return ST_OK;
        return vm_raise(vm, EXC_BrokenPipeError, "[Errno 32] Broken pipe");
    }
    buf_put(&file->out, bytes, len);
    if (file->out.failed) {
        file->out.failed = false;
        return vm_no_memory(vm);
    }
    return file->out.len >= FLUSH_BYTES ? flush(vm, file) : ST_OK;
}

// Standard error shows what cannot be written.
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

static Status method_write(Vm *vm, const Value *args, Value *out) {
    File *file = file_of(args[0]);
    Value text = unwrap(args[1]);
    if (text.kind != K_STR)
        return vm_raise(vm, EXC_TypeError, "write() argument must be str, not %s",
                        argument_type_name(vm, args[1]));
    Status st = usable(vm, file, true);
    if (st == ST_OK) st = put_text(vm, file, text.str);
    if (st == ST_OK) *out = v_int(text.str->chars);
    return st;
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
        if (vm_poll(vm) != ST_OK) return ST_ERROR; // the host cannot know of an earlier interrupt
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

// What has been read and not taken; an empty text where nothing has been read at all.
static const char *unread(const File *file) {
    return file->in.data ? file->in.data + file->in_pos : "";
}

// Bytes before the first line end and it, of `have`; 0 when there is none, or when what comes next
// may belong to it.
static size_t find_line(const char *start, size_t scanned, size_t have, bool at_end) {
    const char *newline = have > scanned ? memchr(start + scanned, '\n', have - scanned) : NULL;
    size_t before = newline ? (size_t)(newline - start) : have;
    const char *back = before > scanned ? memchr(start + scanned, '\r', before - scanned) : NULL;
    if (!back) return newline ? before + 1 : 0;
    size_t len = (size_t)(back - start) + 1;
    if (len == have) return at_end ? len : 0;
    return len + (back[1] == '\n');
}

// Bytes up to and including the next line end.
static Status line_length(Vm *vm, File *file, size_t *len) {
    size_t scanned = 0;
    for (;;) {
        const char *start = unread(file);
        size_t have = file->in.len - file->in_pos;
        *len = have ? find_line(start, scanned, have, file->at_end) : 0;
        if (*len == 0 && file->at_end) *len = have;
        if (*len || file->at_end) return ST_OK;
        scanned = have ? have - 1 : 0; // the last byte may be a '\r' that was not decided on
        compact(file);
        if (read_more(vm, file) != ST_OK) return ST_ERROR;
    }
}

// Takes bytes out of the buffer as text with '\r\n' and '\r' turned into '\n'.
static Status take(Vm *vm, File *file, size_t len, Value *out) {
    const char *bytes = unread(file);
    if (str_utf8_check(vm, bytes, len) != ST_OK) return ST_ERROR;
    file->in_pos += len;
    if (!len || !memchr(bytes, '\r', len)) return str_out(vm, str_new(vm, bytes, len), out);
    Buf text;
    buf_init(&text, &vm->mem);
    for (size_t i = 0; i < len; i++) {
        if (bytes[i] != '\r') buf_putc(&text, bytes[i]);
        else if (i + 1 == len || bytes[i + 1] != '\n') buf_putc(&text, '\n');
    }
    return str_buf_out(vm, &text, out);
}

static Status read_line(Vm *vm, File *file, Value *out) {
    size_t len = 0;
    Status st = line_length(vm, file, &len);
    return st == ST_OK ? take(vm, file, len, out) : st;
}

// Byte length of `count` characters at the start of the buffered input; "\r\n" is one.
static size_t code_points(const File *file, int64_t count) {
    const char *at = unread(file), *end = at + (file->in.len - file->in_pos);
    const char *start = at;
    while (at < end && count > 0) {
        bool pair = *at == '\r' && at + 1 < end && at[1] == '\n';
        at += pair ? 2 : 1;
        while (at < end && ((unsigned char)*at & 0xC0) == 0x80) at++;
        count--;
    }
    return (size_t)(at - start);
}

// How many characters to read; all of them for None, a negative number and a huge one.
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
    if (usable(vm, file, false) != ST_OK) return ST_ERROR;
    return read_line(vm, file, out);
}

static Status file_next(Vm *vm, Value self, Value *out) {
    File *file = file_of(self);
    Value line;
    if (usable(vm, file, false) != ST_OK || read_line(vm, file, &line) != ST_OK) return ST_ERROR;
    if (line.str->len == 0) {
        release(vm, line);
        return ST_STOP;
    }
    *out = line;
    return ST_OK;
}

static Status method_readlines(Vm *vm, const Value *args, Value *out) {
    List *list = list_new(vm, 16);
    Value line;
    if (!list) return vm_no_memory(vm);
    Status st;
    while ((st = file_next(vm, args[0], &line)) == ST_OK)
        if (list_append(vm, list, line) != ST_OK) {
            st = ST_ERROR;
            break;
        }
    if (st != ST_STOP) {
        release_obj(vm, list);
        return st;
    }
    *out = v_obj(list);
    return ST_OK;
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

static Status method_enter(Vm *vm, const Value *args, Value *out) {
    if (file_of(args[0])->closed)
        return vm_raise(vm, EXC_ValueError, "I/O operation on closed file.");
    *out = retain(args[0]);
    return ST_OK;
}

static Status method_exit(Vm *vm, const Value *args, Value *out) {
    return method_close(vm, args, out);
}

static Status method_seek(Vm *vm, const Value *args, Value *out) {
    File *file = file_of(args[0]);
    int64_t offset, whence;
    if (file->closed) return vm_raise(vm, EXC_ValueError, "I/O operation on closed file.");
    if (file->fd == NO_FD) return vm_raise(vm, EXC_OSError, "underlying stream is not seekable");
    if (op_index(vm, args[1], &offset) != ST_OK || op_index(vm, args[2], &whence) != ST_OK)
        return op_refused(vm);
    if (whence < 0 || whence > 2)
        return vm_raise(vm, EXC_ValueError, "invalid whence (%d, should be 0, 1 or 2)",
                        (int)whence);
    if (whence == 0 && offset < 0)
        return vm_raise(vm, EXC_ValueError, "negative seek position %" PRId64, offset);
    if (flush(vm, file) != ST_OK) return ST_ERROR;
    off_t at = lseek(file->fd, (off_t)offset, (int)whence);
    if (at < 0) return vm_raise_os(vm, errno, NULL);
    file->in.len = file->in_pos = 0;
    file->at_end = false;
    *out = v_int(at);
    return ST_OK;
}

static Status method_tell(Vm *vm, const Value *args, Value *out) {
    File *file = file_of(args[0]);
    if (file->closed) return vm_raise(vm, EXC_ValueError, "I/O operation on closed file.");
    if (file->fd == NO_FD) return vm_raise(vm, EXC_OSError, "underlying stream is not seekable");
    off_t at = lseek(file->fd, 0, SEEK_CUR);
    if (at < 0) return vm_raise_os(vm, errno, NULL);
    *out = v_int(at - (off_t)(file->in.len - file->in_pos) + (off_t)file->out.len);
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
static Status method_isatty(Vm *vm, const Value *args, Value *out) {
    return method_true(vm, args, file_of(args[0])->fd != NO_FD && isatty(file_of(args[0])->fd), out);
}

static const NativeDef methods[] = {
    {"write", "self, text, /", method_write, NULL, FILESYSTEM},
    {"writelines", "self, lines, /", method_writelines, "file_writelines_slow", FILESYSTEM},
    {"flush", "self, /", method_flush, NULL, FILESYSTEM},
    {"read", "self, size=None, /", method_read, NULL, FILESYSTEM},
    {"readline", "self, /", method_readline, NULL, FILESYSTEM},
    {"readlines", "self, /", method_readlines, NULL, FILESYSTEM},
    {"close", "self, /", method_close, NULL, FILESYSTEM},
    {"seek", "self, offset, whence=0, /", method_seek, NULL, FILESYSTEM},
    {"tell", "self, /", method_tell, NULL, FILESYSTEM},
    {"readable", "self, /", method_readable, NULL, PURE},
    {"writable", "self, /", method_writable, NULL, PURE},
    {"isatty", "self, /", method_isatty, NULL, PURE},
    {"__enter__", "self, /", method_enter, NULL, PURE},
    {"__exit__", "self, type, value, traceback, /", method_exit, NULL, FILESYSTEM},
    {0},
};

static Status get_name(Vm *vm, Value self, Value *out) {
    (void)vm;
    *out = retain(v_obj(file_of(self)->name));
    return ST_OK;
}
static Status get_mode(Vm *vm, Value self, Value *out) {
    (void)vm;
    *out = retain(v_obj(file_of(self)->mode));
    return ST_OK;
}
static Status get_closed(Vm *vm, Value self, Value *out) {
    (void)vm;
    *out = v_bool(file_of(self)->closed);
    return ST_OK;
}
static Status get_encoding(Vm *vm, Value self, Value *out) {
    (void)self;
    return str_out(vm, str_text(vm, "utf-8"), out);
}

static const AttrDef attrs[] = {
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

// A file nobody holds any more is flushed and closed; there is nobody to tell about a failure, and
// an exception on its way up must not be disturbed.
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
    buf_printf(out, "<_io.TextIOWrapper name='%s' mode='%s' encoding='utf-8'>",
               file_of(self)->name->data, file_of(self)->mode->data);
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
