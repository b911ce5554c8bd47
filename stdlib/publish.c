// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Module _publish: passes the host output other than text, such as pictures, and asks the user for input that is not
// echoed. IPython.display is written with it.

#include "nacre/nacre.h"
#include "stdlib/stdlib.h"
#include "vm/interp/interp.h"
#include "vm/value/bytes.h"
#include "vm/value/dict.h"
#include "vm/value/ops.h"
#include "vm/value/str.h"

enum { FORMS_MOST = 32 };

// Reads a dict from MIME types to str or bytes into `forms`, which borrow from it. Returns their number; -1: an
// exception is set.
static int forms_of(Vm *vm, const Dict *dict, NacreForm *forms) {
    Value key, value;
    int count = 0;
    for (uint32_t at = 0; dict_next(dict, &at, &key, &value); count++) {
        bool binary = value.kind == K_BYTES;
        if (key.kind != K_STR || (!binary && value.kind != K_STR)) {
            vm_raise(vm, EXC_TypeError, "forms are str or bytes, and the keys MIME types");
            return -1;
        }
        if (count == FORMS_MOST) {
            vm_raise(vm, EXC_ValueError, "a value has at most %d forms", FORMS_MOST);
            return -1;
        }
        forms[count] = (NacreForm){key.str->data, binary ? value.bytes->data : value.str->data,
                                   binary ? value.bytes->len : value.str->len, binary};
    }
    return count;
}

static const char *text_or_null(Value v) {
    return v.kind == K_STR ? v.str->data : NULL;
}

// publish(kind, forms, metadata, id, wait): passes a publication to the host. Returns False if the host only shows
// text.
static Status fn_publish(Vm *vm, const Value *args, Value *out) {
    *out = v_bool(vm->host.publish);
    if (!vm->host.publish) return ST_OK;
    if (args[0].kind != K_INT || args[0].i < NACRE_PUBLISH_RESULT || args[0].i > NACRE_PUBLISH_CLEAR ||
        args[1].kind != K_DICT)
        return vm_raise(vm, EXC_TypeError, "a kind of publication and a dict are needed");
    NacreForm forms[FORMS_MOST];
    bool wait;
    int count = forms_of(vm, args[1].dict, forms);
    if (count < 0 || op_truth(vm, args[4], &wait) != ST_OK) return op_refused(vm);
    const NacrePublication publication = {
        .struct_size = sizeof publication, .kind = (NacrePublishKind)args[0].i, .count = (size_t)count,
        .forms = forms, .metadata = text_or_null(args[2]), .id = text_or_null(args[3]), .wait = wait};
    if (vm->host.publish(vm->host.ctx, &publication)) return ST_OK;
    return vm_raise(vm, EXC_OSError, "the host cannot show this");
}

// Returns a line from the host as a str, without its line end. Raises EOFError for an empty one.
static Status take_line(Vm *vm, const char *line, long len, Value *out) {
    if (len <= 0 && vm_poll(vm) != ST_OK) return ST_ERROR; // an interrupt may have ended the reading
    if (len < 0) return vm_raise(vm, EXC_OSError, "input failed");
    if (len == 0) return vm_raise(vm, EXC_EOFError, "EOF when reading a line");
    if (line[len - 1] == '\n') len--;
    if (str_utf8_check(vm, line, (size_t)len) != ST_OK) return ST_ERROR;
    return str_out(vm, str_new(vm, line, (size_t)len), out);
}

// Asks the host for a line. *got: the host's return value; with ASK_NOBODY, *out is not set.
static Status ask(Vm *vm, const char *prompt, size_t len, bool hidden, long *got, Value *out) {
    const char *line;
    if (!vm->host.ask && len) vm->host.write(vm->host.ctx, 1, prompt, len);
    Status st = vm_poll(vm); // an interrupt before the call would not end the host's wait
    if (st != ST_OK) return st;
    *got = vm->host.ask ? vm->host.ask(vm->host.ctx, prompt, len, hidden, &line) : vm->host.read_line(vm->host.ctx, &line);
    return *got == ASK_NOBODY ? ST_OK : take_line(vm, line, *got, out);
}

Status prompt_for(Vm *vm, const char *prompt, size_t len, Value *out) {
    long got;
    Status st = ask(vm, prompt, len, false, &got, out);
    if (st != ST_OK || got != ASK_NOBODY) return st;
    return vm_raise(vm, EXC_RuntimeError, "nobody can be asked: the program that runs this takes no input");
}

// ask_hidden(prompt): reads a line without echo. Returns None if the host cannot do that.
static Status fn_ask_hidden(Vm *vm, const Value *args, Value *out) {
    long got;
    if (args[0].kind != K_STR) return vm_raise(vm, EXC_TypeError, "a prompt is needed");
    *out = V_NONE;
    return vm->host.ask ? ask(vm, args[0].str->data, args[0].str->len, true, &got, out) : ST_OK;
}

const NativeDef publish_functions[] = {
    {"publish", "kind, forms, metadata, id, wait, /", fn_publish, NULL, FILESYSTEM},
    {"ask_hidden", "prompt, /", fn_ask_hidden, NULL, FILESYSTEM},
    {0},
};
