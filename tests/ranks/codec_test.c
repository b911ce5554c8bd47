// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Values and exceptions that go from one VM to another as bytes: what arrives is the same; what cannot be sent is
// refused; bytes that are broken, cut off or made up are refused, too, and nothing is lost or overrun.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stdlib/ranks/codec.h"
#include "stdlib/ranks/outcome.h"
#include "vm/api/api.h"
#include "vm/value/asking.h"
#include "vm/value/class.h"

#define CHECK(condition)                                                       \
    ((condition) ? (void)0                                                     \
                 : (void)(printf("%s:%d: %s\n", __FILE__, __LINE__, #condition), failures++))
static int failures;

static const char common[] =
    "import numpy as np\n"
    "np.linalg.LinAlgError\n"
    "class Own(ValueError): pass\n"
    "class OwnOs(OSError): pass\n"
    "def look(v):\n"
    "    if isinstance(v, np.ndarray): return (v.dtype, v.shape, v.flags.f_contiguous and not v.flags.c_contiguous,\n"
    "                                          v.flags.writeable, v.tobytes())\n"
    "    if isinstance(v, BaseException): return (type(v), v.args, sorted(v.__dict__.items()), str(v),\n"
    "        [getattr(v, n, None) for n in ('errno', 'strerror', 'filename', 'filename2', 'name', 'code', 'value', 'axis')])\n"
    "    if isinstance(v, (list, tuple)): return (type(v), [look(x) for x in v])\n"
    "    if isinstance(v, dict): return (type(v), [(look(k), look(x)) for k, x in v.items()])\n"
    "    if isinstance(v, (set, frozenset)): return (type(v), sorted(map(repr, v)))\n"
    "    return (type(v), repr(v))\n"
    "def raised(f, *args):\n"
    "    try: f(*args)\n"
    "    except BaseException as e: return e\n"
    "def with_attributes(e, **given):\n"
    "    e.add_note('seen')\n"
    "    for name, value in given.items(): setattr(e, name, value)\n"
    "    return e\n";

static const char *const sent[] = {
    "None", "...", "NotImplemented", "True", "-7", "2**63", "-2**400 + 1", "2**60 - 1", "0.1", "float('nan')", "-0.0",
    "3 - 4j", "''", "'a\\0b\\u00e9\\U0001f600'", "'\\udcff'", "b''", "bytes(range(256))", "bytearray(b'abc')",
    "range(3)", "range(10, -5, -3)", "range(2**70, 2**71, 2**69)", "slice(None)", "slice(1, 2**80, 'x')",
    "()", "[]", "{}", "(1, [2, (3,)], {'a': {1: None}, 2.5: b'x'})", "{1, 'a', (2, 3)}", "frozenset({1, 2**70})", "set()",
    "np.float32(0.1)", "np.int8(-3)", "np.bool_(True)", "np.complex64(1 - 2j)", "np.complex128(1j)", "np.float16(2.5)",
    "np.uint64(2**64 - 1)", "np.dtype('int16')", "[np.dtype(bool), np.dtype('complex128')]",
    "np.array(3.5)", "np.arange(12).reshape(3, 4)", "np.arange(12, dtype=np.int8).reshape(3, 4).T", "np.empty((0, 3))",
    "np.zeros((2, 0), order='F')", "np.array([True, False])", "np.linspace(0, 1, 7)[::-2]", "np.arange(24.).reshape(2, 3, 4)[:, 1]",
    "np.ones((2, 3, 4), np.complex64, order='F')", "np.frombuffer(b'abcdefgh', np.int32)", "np.broadcast_to(np.arange(3), (2, 3))",
    "(np.arange(3), {'x': np.float64(2)})",
    "ValueError()", "ValueError('a', 1)", "KeyError('k')", "Own('x')", "StopIteration(3)", "SystemExit(4)", "SystemExit('bye')",
    "OSError(2, 'gone', 'name')", "FileNotFoundError(2, 'gone', 'a', None, 'b')", "OSError('text only')", "OwnOs(5, 'io', b'x')",
    "raised(open, '/no/such/file')", "raised(np.sum, np.ones(3), 4)", "raised('\\udcff'.encode)", "raised(b'\\xff'.decode)",
    "raised(lambda: missing)", "raised(lambda: None.missing)", "raised(__import__, 'no_such_module')", "raised(eval, '1 +')",
    "with_attributes(Own(1), tag='x', more=[1])", "raised(np.linalg.inv, np.zeros((2, 2)))", "(KeyError(1), [ValueError(2)])",
};

static NacreVm *start(void) {
    NacreVm *vm = nacre_new(NULL);
    CHECK(vm && nacre_run(vm, common, sizeof common - 1, "common", NACRE_FILE) == NACRE_OK);
    return vm;
}

// The value of an expression, owned.
static Value value_of(NacreVm *handle, const char *text) {
    char line[512];
    NacreValue *held = NULL;
    snprintf(line, sizeof line, "it = %s\n", text);
    NacreStatus status = nacre_run(handle, line, strlen(line), "it", NACRE_FILE);
    if (status != NACRE_OK) printf("%s: %s\n", text, nacre_error_text(handle));
    CHECK(status == NACRE_OK && nacre_global(handle, "it", &held) == NACRE_OK);
    Value value = held ? retain(held->value) : V_NONE;
    nacre_release(handle, held);
    return value;
}

// What `look` says of a value.
static const char *look_at(NacreVm *handle, Value v) {
    static const char text[] = "look(it)";
    CHECK(module_set(&handle->vm, handle->vm.interp->main, "it", retain(v)) == ST_OK);
    if (nacre_run(handle, text, sizeof text - 1, "look", NACRE_EXPRESSION) != NACRE_OK) return nacre_error_text(handle);
    return nacre_result_text(handle);
}

static Status encode(Vm *vm, Value v, Buf *out) {
    buf_init(out, &vm->mem);
    Encoder encoder = {.vm = vm, .out = out};
    return encode_value(&encoder, v);
}

static Status decode(Vm *vm, const char *bytes, size_t len, Value *out) {
    Decoder decoder = {.vm = vm, .at = bytes, .end = bytes + len};
    Status st = decode_value(&decoder, out);
    CHECK(st != ST_OK || decoder.at <= decoder.end);
    return st;
}

static void test_there_and_back(NacreVm *from, NacreVm *to) {
    for (size_t i = 0; i < sizeof sent / sizeof *sent; i++) {
        Buf bytes;
        Value v = value_of(from, sent[i]), made = V_UNDEF;
        CHECK(encode(&from->vm, v, &bytes) == ST_OK);
        CHECK(decode(&to->vm, bytes.data, bytes.len, &made) == ST_OK);
        char *expected = strdup(look_at(from, v));
        const char *got = look_at(to, made);
        if (strcmp(expected, got) != 0) printf("%s: %s is not %s\n", sent[i], got, expected);
        CHECK(strlen(expected) > 5 && strcmp(expected, got) == 0);
        free(expected);
        release(&from->vm, v);
        release(&to->vm, made);
        buf_free(&bytes);
    }
}

// A handle: a stand-in with its name and mode, which is not open.
static void test_files(NacreVm *from, NacreVm *to) {
    Buf bytes;
    Value v = value_of(from, "open('/dev/null', 'rb')"), made = V_UNDEF;
    CHECK(encode(&from->vm, v, &bytes) == ST_OK && decode(&to->vm, bytes.data, bytes.len, &made) == ST_OK);
    CHECK(made.kind == K_FILE && module_set(&to->vm, to->vm.interp->main, "it", made) == ST_OK);
    Value facts = value_of(to, "(it.name, it.mode)");
    CHECK(strcmp(look_at(to, facts), "(<class 'tuple'>, [(<class 'str'>, \"'/dev/null'\"), (<class 'str'>, \"'rb'\")])") == 0);
    release(&to->vm, facts);
    release(&from->vm, v);
    buf_free(&bytes);
}

static void test_refused(NacreVm *from) {
    static const char *const refused[] = {"object()", "len", "lambda: 0", "[1, (object(),)]", "{1: iter([])}", "np", "Own",
                                          "(i for i in ())", "[x := [], x.append(x)][0]"};
    Vm *vm = &from->vm;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        Buf bytes;
        Value v = value_of(from, refused[i]);
        CHECK(encode(vm, v, &bytes) == ST_ERROR && vm_error_is(vm, EXC_TypeError));
        vm_clear_error(vm);
        release(vm, v);
        buf_free(&bytes);
    }
    // Within an exception its text takes the place of such a value, and a class that is not there that of the next one.
    Buf bytes;
    Value v = value_of(from, "type('Far', (KeyError,), {})(len, [object])"), made = V_UNDEF;
    buf_init(&bytes, &vm->mem);
    Encoder encoder = {.vm = vm, .out = &bytes, .lenient = true};
    CHECK(encode_exception(&encoder, v) == ST_OK);
    Decoder decoder = {.vm = vm, .at = bytes.data, .end = bytes.data + bytes.len};
    CHECK(decode_exception(&decoder, &made) == ST_OK && decoder.at == decoder.end);
    const char *text = look_at(from, made);
    CHECK(strstr(text, "(<class 'KeyError'>, ('<built-in function len>', [\"<class 'object'>\"])"));
    CHECK(strstr(text, "where it was raised it is a __main__.Far"));
    release(vm, made);
    release(vm, v);
    buf_free(&bytes);
}

// --- Broken bytes ----------------------------------------------------------------------------------

static uint64_t random_state = 88172645463325252u;

static uint64_t next_random(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

// What comes of it is a value, of which a text can be made, or ValueError and the like.
static bool survives(NacreVm *handle, const char *bytes, size_t len) {
    Vm *vm = &handle->vm;
    Value made = V_UNDEF;
    char *exact = malloc(len ? len : 1); // so that reading beyond its end is seen
    memcpy(exact, bytes, len);
    Status st = decode(vm, exact, len, &made);
    free(exact);
    CHECK((st == ST_OK) == (vm->error.kind == K_UNDEF) && (st == ST_OK || st == ST_ERROR));
    CHECK(st == ST_OK || exc_of(vm->error));
    vm_clear_error(vm);
    if (st == ST_OK && made.kind != K_UNDEF) CHECK(*look_at(handle, made));
    release(vm, made);
    return st == ST_OK;
}

static void test_broken(NacreVm *from, NacreVm *to) {
    int refused = 0, tried = 0;
    for (size_t i = 0; i < sizeof sent / sizeof *sent; i++) {
        Buf bytes;
        Value v = value_of(from, sent[i]);
        CHECK(encode(&from->vm, v, &bytes) == ST_OK);
        release(&from->vm, v);
        for (size_t cut = 0; cut < bytes.len; cut += 1 + bytes.len / 40) {
            CHECK(!survives(to, bytes.data, cut));
            vm_clear_error(&to->vm);
        }
        for (int round = 0; round < 60; round++) {
            size_t at = next_random() % bytes.len;
            char kept = bytes.data[at];
            bytes.data[at] = (char)next_random();
            if (round % 3 == 0) bytes.data[at] = kept ^ (char)(1 << next_random() % 8);
            refused += !survives(to, bytes.data, bytes.len);
            tried++;
            if (round % 8 != 7) bytes.data[at] = kept; // else broken at several places from now on
        }
        buf_free(&bytes);
    }
    CHECK(refused > tried / 10 && refused < tried);
    for (int round = 0; round < 3000; round++) {
        static const char letters[] = "uNI.oiflcndsbBr:([{SZahe";
        char bytes[96];
        size_t len = next_random() % sizeof bytes;
        for (size_t i = 0; i < len; i++) bytes[i] = next_random() % 3 ? (char)(next_random() % 5) : letters[next_random() % 24];
        survives(to, bytes, len);
    }
    char deep[4000];
    for (size_t i = 0; i < sizeof deep; i++) deep[i] = i % 9 == 0 ? '[' : i % 9 == 1;
    CHECK(!survives(to, deep, sizeof deep));
}

// --- Outcomes --------------------------------------------------------------------------------------

static Status never(Vm *vm, const Value *args, Value *out) {
    (void)vm, (void)args, (void)out;
    return ST_STOP;
}
static const NativeDef row = {"row", "a, b=None, /, *more", never, NULL, FILESYSTEM};

static void test_outcomes(NacreVm *from) {
    Vm *vm = &from->vm;
    Value args[3] = {value_of(from, "[1, {2: (Own, len)}]"), V_NONE, value_of(from, "('x',)")}, result = V_UNDEF;
    Buf bytes;
    bool whole;
    buf_init(&bytes, &vm->mem);
    CHECK(outcome_encode(vm, &row, args, ST_STOP, &result, &bytes) == ST_STOP);
    CHECK(outcome_decode(vm, &row, args, bytes.data, bytes.len, &result, &whole) == ST_STOP);
    bytes.len = 0; // a question about an object deep within the arguments
    vm->asked = retain(args[0].list->items[1].dict->entries[0].value.tuple->items[1]);
    vm->asked_about = 3;
    Value about = vm->asked;
    CHECK(outcome_encode(vm, &row, args, ST_DEFER, &result, &bytes) == ST_DEFER);
    release(vm, vm->asked);
    vm->asked = V_UNDEF;
    vm->asked_about = 0;
    CHECK(outcome_decode(vm, &row, args, bytes.data, bytes.len, &result, &whole) == ST_DEFER);
    CHECK(vm->asked_about == 3 && v_is(vm->asked, about));
    ask_forget(vm);
    bytes.len = 0; // what cannot be sent
    result = value_of(from, "[object()]");
    CHECK(outcome_encode(vm, &row, args, ST_OK, &result, &bytes) == ST_ERROR && result.kind == K_UNDEF);
    CHECK(vm_error_is(vm, EXC_SystemError));
    vm_clear_error(vm);
    CHECK(outcome_decode(vm, &row, args, bytes.data, bytes.len, &result, &whole) == ST_ERROR);
    CHECK(vm_error_is(vm, EXC_SystemError) && strstr(look_at(from, vm->error), "row() answers with object"));
    vm_clear_error(vm);
    bytes.len = 0; // a set, whose order is that of who decodes it
    result = value_of(from, "{'a', 'b', 3}");
    const Value before = result;
    CHECK(outcome_encode(vm, &row, args, ST_OK, &result, &bytes) == ST_OK && result.bits != before.bits);
    release(vm, result);
    for (int round = 0; round < 300; round++) {
        char made[40];
        size_t len = next_random() % sizeof made;
        for (size_t i = 0; i < len; i++) made[i] = (char)(next_random() % 6);
        result = V_UNDEF;
        Status st = outcome_decode(vm, &row, args, made, len, &result, &whole);
        CHECK(whole == (st != ST_ERROR) || st == ST_ERROR);
        if (st == ST_OK) release(vm, result);
        vm_clear_error(vm);
        ask_forget(vm);
        vm->stopped = false;
    }
    for (int i = 0; i < 3; i++) release(vm, args[i]);
    buf_free(&bytes);
}

int main(void) {
    NacreVm *from = start(), *to = start();
    if (from && to) {
        test_there_and_back(from, to);
        test_files(from, to);
        test_refused(from);
        test_broken(from, to);
        test_outcomes(from);
    }
    nacre_free(from);
    nacre_free(to);
    return failures != 0;
}
