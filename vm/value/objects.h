// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The layouts of the built-in objects that several files look into. Behaviour is declared in the
// header named for each subject (str.h, num.h, list.h, dict.h, set.h, func.h, class.h …).

#ifndef NACRE_VM_VALUE_OBJECTS_H
#define NACRE_VM_VALUE_OBJECTS_H

#include "vm/value/kind.h"

// Immutable text: UTF-8 (lone surrogates as three bytes), NUL-terminated.
typedef struct Str {
    Obj obj;        // obj.aux: STR_ASCII, STR_INTERNED
    uint32_t len;   // bytes; text is limited to 4 GiB
    uint32_t chars; // code points; == len for ASCII
    int64_t hash;   // 0: not computed yet
    char data[];
} Str;
enum { STR_ASCII = 1, STR_INTERNED = 2 };

// Immutable bytes, and a NUL after the last one. They are aligned for elements of arrays, which may
// lie in them (storage_over).
typedef struct Bytes {
    Obj obj;
    size_t len;
    int64_t hash; // 0: not computed yet
    size_t spare; // room behind the bytes, for a bytearray that grows
    _Alignas(16) char data[];
} Bytes;

typedef struct ByteArray {
    Obj obj;
    Bytes *bytes; // perhaps shared: bytearray.h
    // The storage of arrays that view this memory (vm/array/buffers.c), which does not move meanwhile; NULL: there are
    // none. `settle` completes pending work that reads or writes the memory; false: an exception is set.
    void *lent;
    bool (*settle)(Vm *vm, void *lent);
} ByteArray;
enum { BYTES_LENT = 1 }; // obj.aux of a bytearray's bytes: they change, so they may not be shared

// |value| in `used` digits of 60 bits, least significant first. Never a value that fits int64.
typedef struct BigInt {
    Obj obj;
    int32_t used;
    int32_t negative;
    uint64_t digits[];
} BigInt;

typedef struct Complex {
    Obj obj;
    double re, im;
} Complex;

// Bounds may be big: then `big` is a tuple (start, stop, step) and the int64 fields are unused.
typedef struct Range {
    Obj obj;
    int64_t start, stop, step, len;
} Range;

typedef struct Slice {
    GcObj gc;
    Value start, stop, step;
} Slice;

typedef struct Tuple {
    GcObj gc;
    size_t len;
    Value items[];
} Tuple;

typedef struct List {
    GcObj gc;
    size_t len, cap;
    Value *items;
} List;

typedef struct DictEntry {
    int64_t hash;
    Value key; // V_UNDEF: deleted
    Value value;
} DictEntry;

// Insertion-ordered hash table: `index` (power of two, -1 empty, -2 deleted) into `entries`.
typedef struct Dict {
    GcObj gc;
    DictEntry *entries;
    int32_t *index;
    uint32_t count;     // live entries
    uint32_t used;      // entries written, deleted ones included
    uint32_t cap;       // entries allocated
    uint32_t mask;      // index size - 1; 0 while there is no index
    uint32_t filled;    // places of the index that are not -1
    uint32_t version;   // changes whenever a key is added or removed
    uint32_t first;     // no entry before this index is live, so that a queue's front is found at once
} Dict;

// Result of globals() and a module's __dict__: the module's names as they were when it was last asked for. Writes to it go
// to the module, too.
typedef struct ModuleDict {
    Dict dict; // with DICT_OF_MODULE in dict.gc.obj.aux
    struct Module *module; // owned; NULL once a cycle has been broken
} ModuleDict;
enum { DICT_OF_MODULE = 1 };

typedef struct SetEntry {
    int64_t hash;
    Value key; // V_UNDEF: empty; a removed one keeps hash -1
} SetEntry;

// Open addressing in CPython's probe order, so that sets print in the same order. Frozen or not.
typedef struct Set {
    GcObj gc;
    SetEntry *table;
    uint32_t mask; // size - 1
    uint32_t fill; // used + removed
    uint32_t used;
    uint32_t version;
    uint32_t finger; // where pop() looks next
    int64_t hash; // frozenset: 0 until computed
} Set;

typedef struct Cell {
    GcObj gc;
    Value value; // V_UNDEF: empty
} Cell;

// A native function object made from a row; `self` is bound (module functions: V_UNDEF).
typedef struct Native {
    GcObj gc;
    const NativeDef *def;
    const struct Signature *signature; // cache of native_signature; NULL: not parsed yet
    Value owner;                       // class or module it belongs to
    // The number of arguments that a call passes on without binding them; NOT_SIMPLE if there are defaults
    // to fill in or other than positional parameters, and before the first call.
    uint32_t simple_args;
    uint32_t self_kind; // the kind of a method's first argument with which it needs no further check;
                        // K_UNDEF: any
} Native;
#define NOT_SIMPLE UINT32_MAX

// A function of numpy with methods: calls go to `call`.
typedef struct Ufunc {
    GcObj gc;
    uint32_t op;     // OpId; where there are two results, of the first
    uint32_t second; // OpId of the second result; OP_NO_SECOND: there is none
    Value call;      // the native function
} Ufunc;
#define OP_NO_SECOND UINT32_MAX

typedef struct Bound {
    GcObj gc;
    Value self;
    Value func;
} Bound;

typedef enum DescrRole { DESCR_PROPERTY, DESCR_STATICMETHOD, DESCR_CLASSMETHOD } DescrRole;
typedef struct Descr {
    GcObj gc;
    DescrRole role;
    Value get, set, del; // static and class methods use `get`
    Value doc;
} Descr;

// A module: named slots, so that compiled code reaches a global by number.
typedef struct Module {
    GcObj gc;
    Str *name;
    Str *file;      // or NULL
    Dict *slots_of; // name → slot number (int)
    Value *slots;   // V_UNDEF: not defined
    Value *builtin; // same length: the built-in of that name, or V_UNDEF
    size_t len, cap;
    Dict *dict;     // what globals() and __dict__ have given (a ModuleDict), or NULL
    bool importing; // its body is running
    bool made;      // by types.ModuleType
} Module;

// Attributes of instances: a tree of layouts rooted in the class. Ids are never reused, so an
// instruction that remembers an id can trust the slot number that went with it.
typedef struct Shape {
    uint32_t id;
    uint32_t count;        // slots
    struct Class *cls;     // borrowed: the class owns its shapes
    struct Shape *parent;
    Str *name;             // of the last slot; owned
    struct Shape *child;   // first child
    struct Shape *sibling;
    struct Shape *all_next; // every shape of the class, for freeing
} Shape;

typedef struct Class {
    GcObj gc;
    Str *name;
    Str *qualname;
    Value module;          // str or None
    struct Class *base;    // the base whose layout instances have; borrowed; NULL for object
    struct Class **bases;  // as the class statement names them; owned
    struct Class **mro;    // itself and all that it derives from, in C3 order; borrowed from `bases`
    uint32_t base_count, mro_count, mro_room;
    Tuple *slots;          // names of its own __slots__, as attributes have them; NULL: none; owned
    struct Class *meta;    // its metaclass if it is not `type`; owned
    struct Class *solid;   // the first class of mro with a layout of its own; borrowed
    Dict *dict;
    Kind instance_kind;    // of its instances: K_INSTANCE, or the built-in kind
    Kind payload_kind;     // user classes derived from a built-in kind (list, dict, int …):
                           // that kind; otherwise K_INSTANCE
    uint32_t flags;        // ClassFlag
    int32_t exc;           // exception classes: ExcKind of the nearest built-in one; -1 otherwise
    Shape *root;           // of instances
    Shape *shapes;         // list of all shapes of the class (all_next)
    uint32_t slot_hint;    // number of slots that earlier instances came to need
    Value init;            // its __init__ written in the language; borrowed, V_NONE: there is none,
                           // V_UNDEF: not looked up yet
    struct Class **subclasses; // borrowed; for invalidation
    size_t subclass_count, subclass_cap;
} Class;
typedef enum ClassFlag {
    CLASS_USER = 1,        // made by a class statement
    CLASS_EXCEPTION = 2,
    CLASS_GETATTR = 4,     // defines or inherits __getattr__
    CLASS_SETATTR = 8,     // __setattr__ or __delattr__
    CLASS_GETATTRIBUTE = 16,
    CLASS_DESCR = 32,      // has data descriptors (properties with setters, __set__)
    CLASS_EQ = 64,         // user __eq__
    CLASS_HASH = 128,      // user __hash__
    CLASS_NO_DICT = 256,   // instances have the attributes that __slots__ names, and no others
    CLASS_NEW = 512,       // user __new__
    CLASS_FINAL = 1024,    // may not be subclassed (bool, function …)
    CLASS_PLAIN_CALL = 2048, // set by a call: calling the class makes an instance and runs `init`
    CLASS_ABSTRACT = 4096,   // has abstract methods: no instances
    // Flags that a class inherits from each of its bases.
    CLASS_INHERITED = CLASS_GETATTR | CLASS_SETATTR | CLASS_GETATTRIBUTE | CLASS_DESCR | CLASS_EQ |
                      CLASS_HASH | CLASS_NEW,
} ClassFlag;

// An instance of a user class or of an exception class.
typedef struct Instance {
    GcObj gc;              // gc.obj.aux: INST_EXCEPTION, INST_PAYLOAD
    Class *cls;
    Shape *shape;          // NULL once `dict` is in use
    Value *slots;
    uint32_t cap;
    Dict *dict;            // made when __dict__ is read; from then on it has all attributes
} Instance;
enum { INST_EXCEPTION = 1, INST_PAYLOAD = 2 };

// Instance of a class that derives from a built-in kind; `payload` is the built-in value.
typedef struct PayloadInstance {
    Instance inst;
    Value payload;
} PayloadInstance;

typedef struct ExcInstance {
    Instance inst;
    Value args;      // a tuple
    Value cause;     // V_UNDEF or None: none
    Value context;
    Value traceback; // K_TRACEBACK (entries of the innermost frame first) or V_UNDEF
    Value value;     // StopIteration.value, SystemExit.code, OSError fields tuple …
    bool suppress_context;
} ExcInstance;

#endif
