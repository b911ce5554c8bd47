// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The interpreter's state: code objects, functions, frames, generators. Between instructions, none of it is on the C
// stack, so one visitor can reach all of it.

#ifndef NACRE_VM_INTERP_INTERP_H
#define NACRE_VM_INTERP_INTERP_H

#include "lang/bytecode.h"
#include "vm/value/class.h"
#include "vm/value/func.h"
#include "vm/value/vm.h"

// A loaded unit: its bytecode, and its source for tracebacks. Shared by its code objects.
typedef struct Unit {
    BcUnit *bc;
    uint32_t refs;
    char *source; // or NULL
    size_t source_len;
    bool plumbing; // code of the prelude, which tracebacks leave out
    uint32_t *slots; // by the unit's number of a global: its slot in the module
} Unit;

// A code object, bound to the module it was loaded for (global slots are patched in). A code object of
// the library's own modules has constants, instructions and names of locals only from its first call on
// (code_complete). Until then frame_size is FRAME_UNKNOWN, for which no stack chunk has room: the call
// takes the slow path of frame_push, which completes the code, and the fast path needs no test.
typedef struct Code {
    GcObj gc;
    Unit *unit;
    BcCode *bc;        // owned by the unit
    Value *consts;     // nested code objects included
    Signature sig;     // parameters, without defaults
    Str *name, *qualname;
    Str **local_names;
    Str **free_names;
    const Instr *entry;  // bc's first instruction
    uint32_t reg_count;  // even: registers are cleared and scanned in pairs
    uint32_t frame_size; // in bytes; FRAME_UNKNOWN: not completed yet
    // The number of arguments that a call moves into registers without binding them; NOT_SIMPLE if the
    // function has other than positional parameters, or is a generator.
    uint32_t simple_args;
} Code;

enum { FRAME_UNKNOWN = INT32_MAX };

typedef struct Func {
    GcObj gc;
    Code *code;
    Module *module;
    Cell **cells;          // free variables
    Str *name, *qualname;
    Value defaults;        // tuple or V_UNDEF
    Value kwdefaults;      // dict or V_UNDEF
    Value annotations;     // dict or V_UNDEF
    Value doc;             // V_UNDEF: the code's docstring counts
    Value owner_module;    // __module__; V_UNDEF: the module's name
    Dict *attrs;           // or NULL
    Signature *sig;        // signature with this function's defaults and name, made by func_sig; or NULL
    uint32_t simple_args;  // copy of the code's
} Func;

// How a frame's result is delivered to its caller. `dest` is a register of the caller.
typedef enum RetKind {
    RET_STORE,       // into dest
    RET_DISCARD,
    RET_INIT,        // of __init__: must be None; then extra (the new instance) is delivered as RetKind `phase`
    RET_JUMP,        // its truth decides the caller's JUMP_IF / JUMP_IFNOT
    RET_TRUTH,       // dest = bool(value)
    RET_NOT,         // dest = not value
    RET_ITER,        // of ITER: dest = value, which must be an iterator
    RET_NEXT,        // of FOR: dest = value; StopIteration ends the loop
    RET_BINARY,      // dest = value, but after NotImplemented the next method is tried (operators.c). Phase: number of
                     // the attempt, with PHASE_INVERT if dest = not value
    RET_YIELD_FROM,  // a sub-generator's value: the caller yields it in turn
    RET_CLOSE,       // generator.close(): must not yield
    RET_ABANDONED,   // of an abandoned generator that is closed: the value is dropped, and the caller executes the
                     // instruction at its pc (again)
    RET_CLASS,       // of a class body: the class is made, from extra = (name, bases, keywords)
    RET_UNPACK,      // the items of a tuple go to the registers from dest on
    RET_CACHED,      // stored by cached_result (extra: its `of`), then delivered as RetKind `phase`
    RET_IMPORT,      // of a module body: dest = extra, the module
    RET_STEP,        // result of the call that a stepper waits for (stepping.c)
    RET_STEP_NEXT,   // the item that a stepper waits for; StopIteration is its source's end
    RET_LOOP_STEP,   // as RET_STEP and RET_STEP_NEXT, for the stepper of the caller's FOR, which waits without a
    RET_LOOP_NEXT,   // frame of its own: extra = the step's held value, step = the step's phase
    RET_EXIT,        // interp_run ends; interp->result = value
} RetKind;

enum { PHASE_INVERT = 0x80 };

// Where a frame's value goes: the same fields as in Frame, which one store writes through this type.
typedef struct Reply {
    uint16_t dest;
    uint8_t ret, phase;
} Reply;

typedef struct Frame {
    struct Frame *prev; // caller
    const Instr *pc;    // the instruction being executed (of a caller: its call)
    Func *func;         // owned
    Code *code;         // func's
    struct Gen *gen;    // the generator that owns this frame, or NULL
    Value handled;      // exception being handled here; V_UNDEF: none
    Value space;        // class body: its namespace
    Value extra;        // operand of ret (see RetKind)
    union {
        Reply reply;
        struct {
            uint16_t dest;
            uint8_t ret;   // RetKind
            uint8_t phase; // RET_BINARY: number of the attempt; RET_INIT, RET_CACHED: the RetKind that follows
        };
    };
    uint32_t step;         // of RET_LOOP_STEP, RET_LOOP_NEXT: the step's phase
    Value regs[];
} Frame;

typedef struct Gen {
    GcObj gc; // gc.obj.aux: GenState
    Frame *frame; // NULL once finished
    Str *name, *qualname;
    struct Gen *after; // next in interp->abandoned
    bool closing;      // has been put into interp->abandoned, which is done once only
} Gen;
enum { GEN_DELEGATING = 1 }; // phase of a frame resumed at YIELD_FROM: register a has the value that was sent
typedef enum GenState { GEN_CREATED, GEN_SUSPENDED, GEN_RUNNING, GEN_CLOSED } GenState;

// One entry per frame an exception passed through, innermost first.
typedef struct TracebackEntry {
    Code *code; // owned
    uint32_t pc; // code_len: before the first instruction
} TracebackEntry;
typedef struct Traceback {
    GcObj gc;
    TracebackEntry *entries;
    size_t len, cap;
} Traceback;

typedef struct StackChunk {
    struct StackChunk *prev, *next;
    size_t size;
    char *top; // next free byte; stale in the current chunk, for which interp->top counts
    char bytes[];
} StackChunk;

// The table Interp.lookups caches results of looking up names in instances, by layout (shape) and use. It serves
// instructions that see several layouts in turn, as their inline caches hold one or two. An entry with a layout's
// present id is valid: a class that changes gives its layouts new ids, and ids are never reused.
typedef enum LookupUse {
    LOOKUP_NONE,
    LOOKUP_READ,
    LOOKUP_WRITE,
    LOOKUP_METHOD,
    LOOKUP_OPERATOR,
    LOOKUP_PROPERTY,
} LookupUse;
typedef struct Lookup {
    uint32_t shape;
    uint16_t use;  // LookupUse
    uint16_t slot; // LOOKUP_READ, LOOKUP_WRITE
    const Str *name;
    Obj *method;   // borrowed from the class
} Lookup;
enum { LOOKUPS = 256 };

typedef struct Interp {
    Frame *frame;      // running now, or NULL
    char *top, *end;   // free part of the current chunk
    char *bottom;      // the chunk's first frame
    int depth, depth_limit;
    _Atomic int depth_stop; // what calls compare depth with: depth_limit; 0 makes the next call run frame_allowed
    StackChunk *chunk; // the current one
    Module *prelude;
    Value constructors[KIND_COUNT]; // natives made from the kinds' construct rows, as needed
    Value descr_constructors[2];    // of classmethod and staticmethod
    Value stepper_constructors[STEPPER_CLASSES];
    Func *stepping;    // placeholder function of the frames in which suspended steps of map, filter … wait
                       // (stepping.c); borrowed from the prelude, NULL until needed
    bool stress;       // verify every count at every statement
    struct Spec *spec; // vm/jit; NULL: no loop gets machine code
    uint32_t rounds;   // loop iterations left until jit_sample is called
    uint64_t *op_counts; // executions by opcode (OP_COUNT numbers), or NULL: not counted
    Gen *abandoned;    // generators left inside a `try` or `with`, to be closed; owned
    bool ending;       // no code of the program runs any more
    Value result;      // value of the frame that left with RET_EXIT
    Value told;        // the exception whose text is being written for the host
    Module *main;
    Module *main_aside; // the main module while another one takes its place, or NULL
    Lookup lookups[LOOKUPS];
} Interp;

// --- code.c ------------------------------------------------------------------------------------
// Turns a unit into a function without parameters that runs its main code in `module`. Consumes
// the unit (also on failure); `source` is copied, may be NULL.
Status code_load(Vm *vm, BcUnit *unit, const char *source, size_t len, Module *module, Value *out);
// Makes a function object. Consumes the three values, and `cells` (code->bc->capture_count of them, or NULL).
Status func_new(Vm *vm, Code *code, Module *module, Cell **cells, Value defaults, Value kwdefaults,
                Value annotations, Value *out);
// Loads the rest of a code object that has only its head (see Code). ST_ERROR: out of memory; the call may be repeated.
Status code_complete(Vm *vm, Code *code);
static inline Status code_whole(Vm *vm, Code *code) {
    return code->frame_size != FRAME_UNKNOWN ? ST_OK : code_complete(vm, code);
}
Status func_doc(Vm *vm, const Func *func, Value *out); // its docstring, or None
// Returns the function's signature with its defaults (borrowed), or NULL with MemoryError.
const Signature *func_sig(Vm *vm, Func *func);

// --- frame.c -----------------------------------------------------------------------------------
// Pushes a frame for `func` (borrowed): registers undefined. NULL with RecursionError/MemoryError.
Frame *frame_push(Vm *vm, Func *func, RetKind ret, uint16_t dest);
// The slow half of frame_push_owned: completes the code, polls, adds a stack chunk.
Frame *frame_push_slow(Vm *vm, Func *func, RetKind ret, uint16_t dest, uint32_t given);
// Reserves `count` frames of `bytes` bytes in all, so that frame_push_reserved cannot fail. ST_NOTIMPL: the recursion
// limit would be passed, or the interpreter must handle a break. ST_ERROR: MemoryError.
Status frames_reserve(Vm *vm, size_t bytes, int count);
void frame_push_reserved(Vm *vm, Func *func, uint16_t dest); // registers undefined
// Called where depth has reached depth_stop. ST_OK: a frame may be pushed. ST_ERROR: RecursionError, or what polling
// raised (KeyboardInterrupt).
Status frame_allowed(Vm *vm);
static inline void frame_setup(Frame *frame, Func *func, RetKind ret, uint16_t dest,
                               uint32_t given) {
    Code *code = func->code;
    Value *end = (Value *)((char *)frame + code->frame_size);
    frame->pc = code->entry;
    frame->func = func;
    frame->code = code;
    frame->gen = NULL;
    frame->handled = frame->space = frame->extra = V_UNDEF;
    frame->reply = (Reply){dest, (uint8_t)ret, 0};
    for (Value *pair = frame->regs + (given & ~1u); pair < end; pair += 2)
        pair[0].head = pair[1].head = K_UNDEF;
}
// As frame_push, but consumes a reference to func, also on failure. The first `given` registers may hold anything: the
// caller fills them at once. Inline, since it is the hot half of every call. Reads everything before it writes
// anything, as the compiler cannot know what overlaps.
static inline Frame *frame_push_owned(Vm *vm, Interp *interp, Func *func, RetKind ret,
                                      uint16_t dest, uint32_t given) {
    char *top = interp->top;
    Frame *frame = (Frame *)top, *prev = interp->frame;
    size_t size = func->code->frame_size;
    int depth = interp->depth;
    if (__builtin_expect(depth >= interp->depth_stop || (size_t)(interp->end - top) < size, 0))
        return frame_push_slow(vm, func, ret, dest, given);
    interp->top = top + size;
    interp->frame = frame;
    interp->depth = depth + 1;
    frame_setup(frame, func, ret, dest, given);
    frame->prev = prev;
    return frame;
}
void frame_drop(Vm *vm, Frame *frame); // releases the values
void frame_chunk_back(Vm *vm);         // returns to the previous chunk, as the current one has no frames left
_Static_assert((K_FIRST_HEAP & (K_FIRST_HEAP - 1)) == 0, "kinds are or-ed to find a heap one");
static inline void frame_unlink(Interp *interp, Frame *frame) {
    interp->frame = frame->prev;
    interp->depth--;
}
// Takes off the running frame, which is not a generator's, and releases what it holds.
static inline void frame_leave(Vm *vm, Interp *interp, Frame *frame) {
    frame_unlink(interp, frame);
    uint32_t kinds = frame->handled.kind | frame->space.kind | frame->extra.kind;
    const Value *end = (const Value *)((char *)frame + frame->code->frame_size);
    for (const Value *pair = frame->regs; pair < end; pair += 2) kinds |= pair[0].kind | pair[1].kind;
    if (kinds >= K_FIRST_HEAP) frame_drop(vm, frame);
    Obj *func = &frame->func->gc.obj;
    if (__builtin_expect(--func->refs == 0, 0)) obj_dead(vm, func);
    interp->top = (char *)frame;
    if (__builtin_expect((char *)frame == interp->bottom, 0)) frame_chunk_back(vm);
}
// Takes the running frame off; its caller becomes the running one. Releases what the frame holds, unless a generator
// owns it.
static inline void frame_pop(Vm *vm) {
    Frame *frame = vm->interp->frame;
    if (frame->gen) frame_unlink(vm->interp, frame); // the generator owns it
    else frame_leave(vm, vm->interp, frame);
}
void frame_clear(Vm *vm, Frame *frame); // releases registers and the rest, not the memory
Frame *frame_detach(Vm *vm, Func *func); // a heap frame, not linked
void frame_free(Vm *vm, Frame *frame);   // releases the values and frees a frame made by frame_detach
void frame_visit(Frame *frame, Visitor *visitor);
static inline uint32_t frame_pc(const Frame *frame) {
    return (uint32_t)(frame->pc - frame->code->bc->code);
}

// --- call.c ------------------------------------------------------------------------------------
// Calls `callee` with `count` values at args, the last ones by the keywords in names (or NULL).
// Consumes args (moved out, left undefined; args[-1] must be a free, undefined slot) and borrows
// callee. ST_OK: *out is the result.
// ST_TAIL: a frame has been pushed that will deliver to (ret, dest). Otherwise ST_ERROR.
Status call_value(Vm *vm, Value callee, Value *args, uint32_t count, const Tuple *names,
                  RetKind ret, uint16_t dest, Value *out);
// Completes a call of a native that returned `st` for the arguments in slots (borrowed): calls its slow path after
// ST_DEFER, carries out vm->tail after ST_TAIL.
Status call_native_finish(Vm *vm, const Native *native, Status st, const Value *slots, RetKind ret,
                          uint16_t dest, Value *out);
// Calls a native that may ask questions about its arguments (vm/value/asking.h); `answers` has the answers so far.
// Borrows args, in which NotImplemented stands for an argument that was not given. ST_DEFER: question *about, about
// *asked (owned), has no answer yet; if *about is ASK_NONE, the native needs its slow path.
Status attempt_native(Vm *vm, const Native *native, const Value *args, uint32_t count,
                      Dict *answers, Value *asked, int *about, Value *out);
// Makes the call that vm->tail describes.
Status call_tail(Vm *vm, RetKind ret, uint16_t dest, Value *out);
// Calls a function of the prelude with copies of args (trailing undefined ones are left out).
Status call_prelude(Vm *vm, const char *name, const Value *args, uint32_t count, RetKind ret,
                    uint16_t dest, Value *out);
// Calls a method found on the class of args[0] with copies of args; ST_STOP if there is none.
Status call_special(Vm *vm, NameId name, const Value *args, uint32_t count, RetKind ret,
                    uint16_t dest, Value *out);
// Calls callee(*args, **kwargs): args is a list or tuple, kwargs a dict or anything else for none; all are borrowed.
Status call_spread(Vm *vm, Value callee, Value args, Value kwargs, RetKind ret, uint16_t dest,
                   Value *out);
// Completes a native operation that returned `st`: carries out vm->tail after ST_TAIL, and raises SystemError after
// ST_DEFER and ST_NOTIMPL; returns any other status as it is.
Status call_finish(Vm *vm, Status st, RetKind ret, uint16_t dest, Value *out);

// --- instantiate.c -----------------------------------------------------------------------------
// Sets `args` of a fresh exception from the arguments (borrowed), before __init__ runs.
Status exception_args(Vm *vm, Value exc, const Value *args, uint32_t count);
Status call_class(Vm *vm, Class *cls, Value *args, uint32_t count, const Tuple *names, RetKind ret,
                  uint16_t dest, Value *out);
// Makes the class of a body that has run: plan is (name, bases, keywords), space its namespace. ST_TAIL: hooks run.
Status class_body_done(Vm *vm, Tuple *plan, Dict *space, uint16_t dest, Value *out);

// --- stepping.c: map, filter, itertools … ------------------------------------------------------
struct Stepper;
// Computes a stepper's next item. ST_STOP: there is none. ST_TAIL: the item will be delivered to (ret, dest).
Status stepping_next(Vm *vm, struct Stepper *it, RetKind ret, uint16_t dest, Value *out);
// As stepping_next, after stepper_plain has returned ST_NOTIMPL.
Status stepping_go_on(Vm *vm, struct Stepper *it, RetKind ret, uint16_t dest, Value *out);
// Takes off the running frame, which has RET_LOOP_STEP and is no generator's, and delivers its value (consumed).
Status stepping_return(Vm *vm, Frame *frame, Value value);
Status stepping_yield(Vm *vm, Frame *frame, Value value); // the same for a generator's yield, with RET_LOOP_NEXT
// Delivers the value (consumed) that the running frame's stepper waits for. `finished`: its source is at the end.
Status stepping_deliver(Vm *vm, RetKind ret, Value value, bool finished);
// The same for the stepper of the running frame's FOR, whose step continues at `phase` with `held` (consumed).
Status stepping_loop(Vm *vm, RetKind ret, uint16_t dest, int phase, Value value, Value held, bool finished);
static inline bool ret_is_loop(int ret) {
    return ret == RET_LOOP_STEP || ret == RET_LOOP_NEXT;
}
static inline int frame_phase(const Frame *frame) { // the `phase` for deliver()
    return ret_is_loop(frame->ret) ? (int)frame->step : frame->phase;
}
// Called before a frame is popped: frames that steppers wait in do not count as calls, so the pop must not lower depth.
static inline void stepping_uncount(Interp *interp, const Frame *frame) {
    if (frame->func == interp->stepping) interp->depth++;
}

// Makes the dict of a frame's variables as they are now, or brings it up to date: locals(). Those of a module are its
// globals, those of a class body its namespace.
Status frame_locals(Vm *vm, Frame *frame, Value *out);

// --- operators.c: operands written in the language ---------------------------------------------
Status user_binary(Vm *vm, BinaryOp op, bool in_place, Value a, Value b, uint16_t dest, Value *out);
// user_binary for the most frequent case: only the left operand's own method can be called. ST_STOP: another case.
Status user_binary_quick(Vm *vm, BinaryOp op, bool in_place, Value a, Value b, uint16_t dest,
                         Value *out);
// The same for comparisons.
Status user_compare_quick(Vm *vm, CompareOp op, Value a, Value b, uint16_t dest, Value *out);
Status user_compare(Vm *vm, CompareOp op, Value a, Value b, uint16_t dest, Value *out);
Status user_unary(Vm *vm, UnaryOp op, Value a, uint16_t dest, Value *out);
// Handles *out, the result of a frame with RET_BINARY: tries the next method after NotImplemented, and negates the
// result where `phase` has PHASE_INVERT.
Status user_binary_again(Vm *vm, Frame *caller, int phase, uint16_t dest, Value *out);

// --- slow.c: instructions whose operands need more than the fast path ---------------------------
// Each may push a frame (ST_TAIL) that will deliver to the register `dest`.
Status slow_truth(Vm *vm, Value v, RetKind ret, uint16_t dest, bool *truth);
// The phase of a frame with RET_JUMP, RET_TRUTH or RET_NOT: whether its result may be any object, must be a bool, or
// may be a length as well.
enum { ANSWER_ANY, ANSWER_BOOL, ANSWER_LEN };
Status answer_truth(Vm *vm, Value answer, int phase, bool *truth); // consumes answer
Status check_iterator(Vm *vm, Value *it); // TypeError (and *it released) when it is none
Status slow_iter(Vm *vm, Value v, uint16_t dest, Value *out);
Status slow_next(Vm *vm, Value it, uint16_t dest, Value *out); // ST_STOP at the end
Status slow_getitem(Vm *vm, Value v, Value key, uint16_t dest, Value *out);
Status slow_setitem(Vm *vm, Value v, Value key, Value value);
Status slow_delitem(Vm *vm, Value v, Value key);
Status slow_contains(Vm *vm, Value item, Value v, bool negate, uint16_t dest, Value *out);
Status slow_unpack(Vm *vm, Value v, uint32_t before, bool star, uint32_t after, uint16_t dest,
                   Value *regs);
// Does EXTEND, SET_UPDATE or DICT_UPDATE, by the kind of `into`; callee (for messages) may be undefined.
Status slow_extend(Vm *vm, Value into, Value from, Value callee);
Status slow_convert(Vm *vm, Value v, uint32_t how, uint16_t dest, Value *out);
Status slow_format(Vm *vm, Value v, Value spec, uint16_t dest, Value *out);
Status slow_except_match(Vm *vm, Value exc, Value type, uint16_t dest, Value *out);
Status slow_with(Vm *vm, Value manager, Value regs[4]);
Status slow_super(Vm *vm, const Frame *frame, const Instr *instr, Value *out);
// Looks up super().name without making a super object: *func is the method and *self the instance to call it on (both
// borrowed). False: a super object is needed.
bool super_method(const Vm *vm, const Frame *frame, const Instr *instr, Str *name, Value *func,
                  Value *self);
Status slow_make_func(Vm *vm, Frame *frame, const Instr *instr, Value *out);
Status slow_make_class(Vm *vm, Frame *frame, const Instr *instr, Value *out);
Status slow_merge(Vm *vm, Value into, Value from, Value callee);
Status slow_name_get(Vm *vm, Frame *frame, const Instr *instr, Value *out);
Status slow_annotate(Vm *vm, Frame *frame, Str *name, Value value);
Status slow_unbound_local(Vm *vm, const Frame *frame, uint32_t reg);
Status slow_global(Vm *vm, Module *module, uint32_t slot, Value *out);
Status slow_unbound_global(Vm *vm, const Module *module, uint32_t slot);
Status slow_unbound_free(Vm *vm, const Frame *frame, uint32_t index);

// --- super.c -------------------------------------------------------------------------------------
Status super_new(Vm *vm, Class *cls, Value self, Value *out);

// --- cache.c: attribute access with inline caches ------------------------------------------------
Status cached_getattr(Vm *vm, Value v, Str *name, Instr *cache, Value *out);
Status cached_setattr(Vm *vm, Value v, Str *name, Value value, Instr *cache);
Status cached_getmethod(Vm *vm, Value v, Str *name, Instr *cache, Value *func, Value *self);
// As class_user_method of the instance's class, for an operator's name, through Interp.lookups.
Value cached_operator(Vm *vm, const Instance *inst, Str *name);
Value cached_slot(Vm *vm, const Instance *inst, Str *name); // an instance's own attribute, borrowed, or UNDEF

// --- gen.c -------------------------------------------------------------------------------------
typedef enum ResumeMode { RESUME_NEXT, RESUME_SEND, RESUME_THROW, RESUME_CLOSE } ResumeMode;
Status gen_new(Vm *vm, Func *func, Frame *frame, Value *out);
// Makes the generator's frame the running one: ST_TAIL. With RESUME_THROW or RESUME_CLOSE on a
// suspended generator the error is set and ST_ERROR returned with the frame running, so that
// unwinding starts inside it.
Status gen_resume(Vm *vm, Gen *gen, ResumeMode mode, Value value, RetKind ret, uint16_t dest,
                  Value *out);

Status gen_next_tail(Vm *vm, Gen *gen); // asks for the generator's next value as the native's result

// The fast path of gen_resume, for a generator suspended at a `yield`: makes its frame the running one, where `sent`
// (borrowed) is the value of the `yield`. NULL: nothing has happened, and gen_resume has to be called.
static inline Frame *gen_enter(Vm *vm, Gen *gen, RetKind ret, uint16_t dest, Value sent) {
    Interp *interp = vm->interp;
    if (gen->gc.obj.aux != GEN_SUSPENDED || gen->frame->pc->op != OP_YIELD ||
        interp->depth >= interp->depth_stop)
        return NULL;
    Frame *frame = gen->frame;
    Value *slot = &frame->regs[frame->pc->a], before = v_load(slot);
    v_store(slot, retain(sent));
    frame->pc++;
    frame->prev = interp->frame;
    frame->ret = (uint8_t)ret;
    frame->dest = dest;
    interp->frame = frame;
    interp->depth++;
    gen->gc.obj.aux = GEN_RUNNING;
    gen->gc.obj.refs++;
    release(vm, before);
    return frame;
}

// Closes the first of interp->abandoned. ST_ERROR: vm->error has to be unwound, as a rule GeneratorExit in the
// generator's frame. ST_TAIL: a frame was pushed. ST_OK: no code of it has to run.
Status gen_close_abandoned(Vm *vm);
// Closes all of interp->abandoned where no frame is running. Leaves vm->error as it is.
void gen_close_rest(Vm *vm);
void gen_drop_rest(Vm *vm); // drops them without running their code
// Writes vm->error, which nothing can catch, to stderr as ignored in `where`, and clears it.
void exc_ignored(Vm *vm, Value where);

// --- deliver.c, dispatch.c ---------------------------------------------------------------------
// Delivers a value (consumed) to the running frame, which waits for it with (ret, dest). `finished`: the value
// is what a generator returned, not what it yielded. ST_OK: execution continues at the frame's pc.
// ST_TAIL: another frame runs first. ST_STOP: the value was for RET_EXIT, which ends interp_run.
Status deliver(Vm *vm, RetKind ret, uint16_t dest, int phase, Value value, Value extra,
               bool finished);
Status frame_return(Vm *vm, Value value); // pops the running frame and delivers its value (consumed)
Status gen_yield(Vm *vm, Frame *frame, Value value); // the same for a generator's frame that yields a value
// Runs until the frame that was pushed with RET_EXIT leaves. ST_OK: interp->result.
Status interp_run(Vm *vm);

// --- unwind.c ----------------------------------------------------------------------------------
// Finds the handler of vm->error, starting at the running frame. `again`: the exception is re-raised, and its
// traceback has this frame already. ST_OK: execution continues at interp->frame->pc. ST_ERROR: no handler was found
// up to the frame with RET_EXIT, which is gone. ST_STOP: a value was delivered to RET_EXIT on the way.
Status unwind(Vm *vm, bool again);
const BcHandler *find_handler(const Frame *frame); // the handler of the instruction at its pc, or NULL
void exc_chain(Vm *vm, Value exc); // sets __context__ to the exception being handled
Status traceback_add(Vm *vm, ExcInstance *exc, Code *code, uint32_t pc);
BcSpan traceback_span(const TracebackEntry *entry);
Value handled_now(const Vm *vm); // the exception being handled, borrowed; V_UNDEF: none
Status raise_value(Vm *vm, Value exc, Value cause, bool has_cause);

// --- traceback.c -------------------------------------------------------------------------------
// Writes the text that Python prints for an uncaught exception, chained ones included.
Status traceback_format(Vm *vm, Value exc, Buf *out);
// Returns a line of the source. *indent: its bytes of indentation; *len: its bytes without trailing spaces. NULL: the
// line is blank or unknown.
const char *unit_line(const Unit *unit, uint32_t number, size_t *indent, size_t *len);
size_t unit_columns(const char *bytes, size_t len); // number of code points of a UTF-8 text
void interp_where(Vm *vm, int level, CodePlace *out); // for vm->where
bool interp_guarded(Vm *vm);               // for vm->guarded
void interp_trace(Vm *vm, CodePlace place); // for vm->trace
void interp_locate(Vm *vm, CodePlace place, SourceLine *out);

// --- stored.c ----------------------------------------------------------------------------------
bool interp_is_stored(Vm *vm, const Value *args, int dtype); // for vm->is_stored

// --- import.c ----------------------------------------------------------------------------------
Status import_module(Vm *vm, Str *name, int64_t level, bool leaf, uint16_t dest, Value *out);
Status import_from(Vm *vm, Value module, Str *name, uint16_t dest, Value *out);
// ST_OK: *out is None. ST_TAIL: code of the language imports the names.
Status import_star(Vm *vm, Value from, Module *into, Value *out);
void import_failed(Vm *vm, Module *module); // removes a module whose body failed from sys.modules

// --- state.c -----------------------------------------------------------------------------------
bool interp_init(Vm *vm, int recursion_limit);
void interp_limit_depth(Vm *vm, int limit);
// From any thread or signal handler: the next back-edge, call or tile raises KeyboardInterrupt.
void interp_interrupt(Vm *vm);
bool interp_report(Vm *vm); // requests a progress report; false: a break or an earlier request is pending
// As interp_interrupt, but raises TimeoutError, which no handler catches.
void interp_stop(Vm *vm);
void interp_free(Vm *vm);
void interp_roots(Vm *vm, Visitor *visitor); // what frames and the interpreter hold
Status interp_verify(Vm *vm); // SystemError unless all reference counts are exact

#endif
