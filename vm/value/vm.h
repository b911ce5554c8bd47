// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The virtual machine's state, and its one error channel.

#ifndef NACRE_VM_VALUE_VM_H
#define NACRE_VM_VALUE_VM_H

#include <stdatomic.h>

#include "vm/value/float_errors.h"
#include "vm/value/objects.h"
#include "vm/value/print_options.h"

typedef enum ExcKind {
#define EXC(name, base) EXC_##name,
#include "vm/value/exceptions.def"
#undef EXC
    EXC_COUNT
} ExcKind;

// Names the engine itself looks up; interned once per VM (names.def rows: NAME(id, "text")).
typedef enum NameId {
#define NAME(id, text) NAME_##id,
#include "vm/value/names.def"
#undef NAME
#define BINARY(name, symbol, method, reflected, in_place) \
    NAME_BIN_##name, NAME_RBIN_##name, NAME_IBIN_##name,
#define COMPARE(name, symbol, method, reflected) NAME_CMP_##name,
#define UNARY(name, symbol, method) NAME_UN_##name,
#include "vm/value/ops.def"
    NAME_COUNT
} NameId;

enum { TAIL_ARGS = 6, SCALAR_CLASSES = 32, STEPPER_CLASSES = 32 };

// The call that ST_TAIL requests.
typedef struct Tail {
    Value callee;
    Value args[TAIL_ARGS];
    int count;
    Value more;   // V_UNDEF, or a tuple of further positional arguments
    Value kwargs; // V_UNDEF, or a dict of keyword arguments
} Tail;

// A line of a script. Unknown parts are NULL and 0.
typedef struct SourceLine {
    const char *file;
    uint32_t line;
    const char *text; // without indentation and newline
    size_t len;
} SourceLine;

// A place in the program, kept cheaply: the code object and an instruction of it.
typedef struct CodePlace {
    Obj *code; // NULL: nowhere
    uint32_t pc;
} CodePlace;

// Reason for stopping a program: an interrupt (KeyboardInterrupt), or its time limit (TimeoutError). BREAK_REPORT only
// pauses it, for a progress report to the host.
typedef enum Break { BREAK_NONE, BREAK_INTERRUPT, BREAK_TIME, BREAK_REPORT } Break;

// Kind of access to a file, for the host's permission.
typedef enum FileAccess { ACCESS_READ, ACCESS_WRITE } FileAccess;

// Host callbacks. All may be NULL.
typedef struct NacrePublication Publication; // a value in the forms that a host may show (nacre.h)

enum { ASK_NOBODY = -2 };

typedef struct HostCalls {
    void *ctx;
    // Standard output (stream 1) and error (stream 2). Returns false on failure.
    bool (*write)(void *ctx, int stream, const char *bytes, size_t len);
    // One line of input with its newline; returns its length, 0 at end of file, -1 on failure.
    // The bytes stay valid until the next call.
    long (*read_line)(void *ctx, const char **bytes);
    void (*warn)(void *ctx, const char *category, const char *message, const SourceLine *at);
    bool (*display)(void *ctx, const char *text, size_t len); // the value a prompt shows
    // Shows a value in its forms; NULL: the host shows text only.
    bool (*publish)(void *ctx, const Publication *publication);
    // Reads a line after a prompt, as read_line gives it; ASK_NOBODY: there is no terminal, or the line cannot be
    // hidden. NULL: the prompt is written, and the line read.
    long (*ask)(void *ctx, const char *prompt, size_t len, bool hidden, const char **bytes);
    bool (*allowed)(void *ctx, FileAccess access, const char *path); // whether a file or folder may be accessed
    // A module's text by its dotted name: false if the host has none. Valid until the next call.
    bool (*module)(void *ctx, const char *name, const char **text, size_t *len);
    void (*reclaim)(void *ctx, size_t bytes); // asks the host to release values before results are stored for it
    void (*visit)(Vm *vm, Visitor *visitor);                  // visits the values that the host holds
    bool sandbox; // the program cannot reach its environment
} HostCalls;

enum { TEXT_DIGITS = 4300 }; // of ints in texts, as CPython
struct Vm {
    Mem mem;
    HostCalls host;

    Value error;      // the exception on its way up; V_UNDEF when none
    Value no_memory;  // a MemoryError made in advance
    bool making_no_memory;
    Tail tail;
    // Gives the place that runs now, or the one `level` calls of the script further out (borrowed); set by the
    // interpreter.
    void (*where)(Vm *vm, int level, CodePlace *out);
    bool (*guarded)(Vm *vm); // whether the script could catch what is raised now
    // Returns whether the result of the running operation is only assigned to an item of an array of this DType. The
    // operation is the native that was called with these arguments, or `@` with NULL.
    bool (*is_stored)(Vm *vm, const Value *args, int dtype);
    const Value *called; // the arguments of the native that was called last by an instruction
    void (*locate)(Vm *vm, CodePlace place, SourceLine *out); // the source line of a place
    void (*trace)(Vm *vm, CodePlace place); // adds a place to the traceback of `error`, unless its line runs now
    Status (*settle)(Vm *vm); // delivers pending reports of earlier operations (vm_settle); NULL: there are none
    const CodePlace *blamed; // the place that warnings are about; NULL: the one that runs now
    Dict *warned;     // the warnings that have been given and are not to be repeated (warnings.c)
    Tuple *warning_rules;  // the filters; NULL: each warning once per line, but for three categories (action_for)
    List *warnings_heard;  // warnings are appended to this list; NULL: they are given to the host
    _Atomic int interrupt; // a Break; polled at back-edges and between tiles
    bool (*report)(Vm *vm); // on BREAK_REPORT: reports to the host, if on the VM's thread; returns whether to stop
    bool stopped;          // TimeoutError is propagating to the host; no handler catches it

    // Cycle collector: every tracked object, its trigger and its state.
    GcObj gc_list;
    size_t gc_count, gc_threshold;
    _Atomic size_t safe_stop; // a safe point has something to do once gc_count is at least this
    bool gc_running, gc_disabled;
    bool gc_grown;    // memory has grown so much that a collection is due (gc_mark_memory)
    size_t gc_made, gc_made_most; // bytes of arrays made since the last collection, and the number that makes the next
                                  // due: for ranks, whose memory differs, but which must collect at the same point
    MemWatch watch;
    GcObj *dead;      // objects whose count reached zero, not yet freed (keeps frees off the C stack)
    bool draining;
    struct WeakTable *weak; // or NULL (weak.h)

    Str **interned;   // open-addressing table
    uint32_t interned_mask, interned_count;
    Str *names[NAME_COUNT];
    Str *letters[128]; // one-character ASCII strings
    Str *empty_str;
    Tuple *empty_tuple;

    Class *classes[KIND_COUNT];    // K_BIGINT's is int's
    Class *exceptions[EXC_COUNT];
    Class *object_class;
    Class *static_class, *classmethod_class;
    Value asking;                           // native made from attr_asking
    Class *view_classes[3];        // by DictViewRole
    Class *stepper_classes[STEPPER_CLASSES]; // by StepRole; NULL until one is made
    Class *scalar_classes[SCALAR_CLASSES]; // of NumPy scalars, by DType; NULL until numpy is there
    uint32_t next_shape_id;

    struct Signature **signatures; // parsed signatures of natives: open addressing by row
    size_t signature_count, signature_cap;
    Dict *builtins;                // name → value
    Dict *modules;                 // sys.modules
    int repr_depth;                // nesting of texts being made
    int compare_depth;             // nesting of comparisons and hashes under way
    Dict *answers;                 // to questions of the native that runs (asking.h), borrowed; NULL: it cannot ask
    int asked_about;               // the Question to which it had no answer
    Value asked;                   // the object that question is about
    int text_digits;               // limit of ints in texts (sys.set_int_max_str_digits), 0: TEXT_DIGITS; -1: none
    PrintOptions print;            // how arrays are shown
    FloatErrors float_errors;      // what arithmetic of NumPy does about divisions by zero, …

    struct Replication *replication; // of a program on many ranks (stdlib/ranks/replicate.h); NULL: it runs alone
    const struct EffectHook *effects; // called instead of natives with an effect (effects.h); NULL: none
    bool numbered;                 // identities are numbers, not addresses (identity.h)

    struct Interp *interp;         // frames, prelude (vm/interp)
    struct Engine *engine;         // typed graph, scheduler, backends (vm/sched)
    struct HostInfo *info;         // argv, script path, options of the host (vm/interp)
};

// --- The error channel -------------------------------------------------------------------------
// All return ST_ERROR, so that `return vm_raise(...)` reads well. A pending error is replaced
// (and becomes the new one's context only through the interpreter, never here).

Status vm_raise(Vm *vm, ExcKind kind, const char *format, ...) __attribute__((format(printf, 3, 4)));
Status vm_no_memory(Vm *vm); // MemoryError; never fails to raise one
Status vm_raise_class(Vm *vm, Class *cls, Value arg); // of any class of exceptions
Status vm_raise_value(Vm *vm, ExcKind kind, Value arg);  // args == (arg,); borrows arg
Status vm_raise_key(Vm *vm, Value key);                  // KeyError(key)
// UnicodeDecodeError or UnicodeEncodeError(encoding, object, start, end, reason); borrows object.
Status vm_raise_unicode(Vm *vm, ExcKind kind, const char *encoding, Value object, size_t start,
                        size_t end, const char *reason);
// numpy.exceptions.AxisError(axis, ndim, name); the name is in front of the text unless it is empty.
Status vm_raise_axis(Vm *vm, int64_t axis, int ndim, const char *name);
// OSError's subclass for an errno; the name is as the system knows it, or NULL.
Status vm_raise_os(Vm *vm, int err, const char *filename);
Status vm_raise_os_two(Vm *vm, int err, const char *filename, const char *other);
Status vm_raise_stop(Vm *vm, Value value);               // StopIteration(value)
bool vm_error_is(const Vm *vm, ExcKind kind);
void vm_clear_error(Vm *vm);
static inline Status vm_check(Vm *vm, const void *ptr) { // NULL → MemoryError
    return ptr ? ST_OK : vm_no_memory(vm);
}

// Polled in long native loops: KeyboardInterrupt when the host asked for one, TimeoutError when the time is up.
Status vm_poll(Vm *vm);
Status vm_time_is_up(Vm *vm); // raises that TimeoutError
bool vm_broken_off(const Vm *vm); // whether vm->error is one of these two

// Polls every POLL_STEP iterations of a long loop, `at` being the number of the iteration.
enum { POLL_STEP = 1 << 16 };
static inline Status vm_poll_at(Vm *vm, size_t at) {
    return at % POLL_STEP == POLL_STEP - 1 ? vm_poll(vm) : ST_OK;
}

// Returns whether vm_poll would raise. For any thread; the VM's own thread may report progress to the host.
static inline bool vm_interrupted(const Vm *vm) {
    int why = atomic_load_explicit(&vm->interrupt, memory_order_relaxed);
    return why == BREAK_REPORT ? vm->report((Vm *)(uintptr_t)vm) : why != BREAK_NONE;
}

// Delivers pending reports of earlier operations before a new one becomes visible: a warning, or a call of the host.
static inline Status vm_settle(Vm *vm) {
    return vm->settle && !vm->blamed ? vm->settle(vm) : ST_OK;
}

// Gives a warning (category: one of the Warning kinds) to the host's callback, with the line that runs. By
// default, the same message is given once per line; the script's filters may say otherwise (warnings.h). ST_ERROR:
// it has been raised as an exception.
Status vm_warn(Vm *vm, ExcKind category, const char *format, ...) __attribute__((format(printf, 3, 4)));

// --- Asking for a call -------------------------------------------------------------------------
// Sets vm->tail to call `callee` with copies of `args` (both borrowed), and returns ST_TAIL; the
// result becomes the result of the operation that returns it. count <= TAIL_ARGS.
Status vm_tail(Vm *vm, Value callee, const Value *args, int count);
void vm_clear_tail(Vm *vm); // releases what a tail request holds

// --- Lookups -----------------------------------------------------------------------------------

// The type name used in messages ("int", "list", a user class's name). Valid while v lives.
const char *type_name(Vm *vm, Value v);
// As type_name, but `None` by its own name: for messages about an argument.
const char *argument_type_name(Vm *vm, Value v);
Class *class_of(Vm *vm, Value v); // borrowed
static inline Str *vm_name(const Vm *vm, NameId id) {
    return vm->names[id];
}

// --- Building and taking down (vm.c) -----------------------------------------------------------

// Interned names, empty objects, classes of kinds and exceptions. False when out of memory
// (call vm_value_free all the same).
bool vm_value_init(Vm *vm);
void vm_value_free(Vm *vm);

#endif
