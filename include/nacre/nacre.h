/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Nacre Authors
 *
 * Nacre, embedded: a virtual machine that runs scripts of the array language.
 *
 * Everything belongs to a NacreVm. Several may live in one process, each used by one thread at a
 * time; only nacre_interrupt, nacre_interrupted and nacre_forget_interrupt may be called from other
 * threads and from signal handlers. The library never prints, exits, aborts, installs signal handlers
 * or keeps global state.
 *
 * Nothing may leave a function of the host but by returning: no C++ exception, no longjmp, no end of its
 * thread. The library cannot be unwound.
 *
 * Plain C that LuaJIT's ffi.cdef reads: no macros are needed to use it.
 */

#ifndef NACRE_NACRE_H
#define NACRE_NACRE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define NACRE_API __attribute__((visibility("default")))
#else
#define NACRE_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* A virtual machine with all that its scripts made. Nobody but the library sees into it. */
typedef struct NacreVm NacreVm;

/* What a call answers. Texts of errors: nacre_error_text. */
typedef enum NacreStatus {
    NACRE_OK = 0,          /* all went well */
    NACRE_ERROR = 1,       /* an exception left the script */
    NACRE_EXIT = 2,        /* the script asked to end (SystemExit): nacre_exit_code */
    NACRE_INTERRUPTED = 3, /* KeyboardInterrupt left the script */
    NACRE_MISUSE = 4       /* a NULL or a call that makes no sense now; the VM is unchanged */
} NacreStatus;

/* One function for allocating (ptr NULL), resizing, and freeing (new_size 0) memory, told the old
 * size. Blocks are aligned to 16 bytes. Returns NULL on failure; freeing cannot fail. */
typedef void *(*NacreAllocFn)(void *ctx, void *ptr, size_t old_size, size_t new_size);

/* Text written by the script: stream 1 is standard output, 2 standard error. Returns 0 on success;
 * anything else becomes an OSError in the script. The bytes are valid during the call. A length of 0
 * asks for what was written before to go out now, where the host keeps it back. */
typedef int (*NacreWriteFn)(void *ctx, int stream, const char *bytes, size_t len);

/* One line of input with its newline, for input() and sys.stdin. Sets *bytes (valid until the next
 * call) and returns the length; 0 at the end of input, -1 on failure. */
typedef long (*NacreReadFn)(void *ctx, const char **bytes);

/* The text a prompt shows for the value of an expression statement (nacre_run with
 * NACRE_INTERACTIVE). Without one it goes to the output, with a newline. The value itself is the
 * built-in `_` from then on. */
typedef void (*NacreDisplayFn)(void *ctx, const char *text, size_t len);

/* One form of a value that is shown: text (UTF-8), or bytes where `binary`, of a MIME type. Text of a type that ends
 * in "json" is JSON. */
typedef struct NacreForm {
    const char *mime; /* "text/html" */
    const void *data; /* the text, or the bytes */
    size_t len;       /* how many bytes it has */
    int binary;       /* it is no text */
} NacreForm;

/* What is to become of a publication. */
typedef enum NacrePublishKind {
    NACRE_PUBLISH_RESULT = 0,  /* show the value of a prompt's or cell's expression */
    NACRE_PUBLISH_DISPLAY = 1, /* show what the script displays */
    NACRE_PUBLISH_UPDATE = 2,  /* show it in place of what was displayed with the same id */
    NACRE_PUBLISH_CLEAR = 3    /* remove what was shown so far; there are no forms */
} NacrePublishKind;

/* A value to be shown, in all the forms it has: the host takes the one it shows best. */
typedef struct NacrePublication {
    size_t struct_size; /* sizeof(NacrePublication), of the library */
    NacrePublishKind kind;  /* what to do with it */
    size_t count;           /* of forms */
    const NacreForm *forms; /* each of another type */
    const char *metadata; /* about the forms, a JSON object; NULL: nothing */
    const char *id;       /* the name by which the script may update it; NULL: none */
    int wait;             /* NACRE_PUBLISH_CLEAR: only once something else is shown */
} NacrePublication;

/* Shows a value (see NacreOptions.publish). All it is given is valid during the call. Returns 0 on success; anything
 * else becomes an OSError in the script. */
typedef int (*NacrePublishFn)(void *ctx, const NacrePublication *publication);

/* One line that a person types after a prompt, for input(), and getpass.getpass() with `hidden`: then it must not be
 * seen. Answers as NacreReadFn does, or -2 where nobody can be asked, or what is typed cannot be hidden. */
typedef long (*NacreAskFn)(void *ctx, const char *prompt, size_t len, int hidden, const char **bytes);

/* Called with the reason why the ranks cannot be joined, before nacre_new returns NULL. The text is valid during the call. */
typedef void (*NacreRefusedFn)(void *ctx, const char *why);

/* A warning: category ("RuntimeWarning"), message, file and line. Without one it goes to standard
 * error as Python prints it. */
typedef void (*NacreWarnFn)(void *ctx, const char *category, const char *message, const char *file,
                            int line);

/* Asked before array work is run whose results the host holds: so many bytes would be stored for that, though
 * perhaps the host's program cannot reach them any more. A host with a garbage collector may let go of values
 * now, or put off what its program will hardly ask for (nacre_release, nacre_defer and nothing else). */
typedef void (*NacreReclaimFn)(void *ctx, size_t bytes);

/* Whether a script may do something with a file or folder: nonzero allows it. The path is as the script has
 * it. What is refused is PermissionError. */
typedef enum NacreAccess {
    NACRE_READ = 0, /* look at it, list a folder */
    NACRE_WRITE = 1 /* make, change, remove; to open for both too */
} NacreAccess;
/* Answers that question; the path is valid during the call. */
typedef int (*NacreAccessFn)(void *ctx, NacreAccess access, const char *path);

/* A module that is not built in, by its dotted name, before files are looked for: nonzero if the host has it,
 * with its text (UTF-8, valid until the next call) and length. */
typedef int (*NacreModuleFn)(void *ctx, const char *name, const char **text, size_t *len);

/* How far a run has come, for NacreProgressFn. */
typedef struct NacreProgress {
    size_t struct_size;         /* sizeof(NacreProgress), of the library */
    double seconds;             /* since the host's call began */
    uint64_t nodes_executed;    /* array operations done, of all since nacre_new */
    uint64_t kernels;           /* kernels run, likewise */
    uint64_t instructions;      /* instructions of the interpreter, likewise; 0 without count_instructions */
    size_t memory_in_use;       /* bytes */
} NacreProgress;

/* Told now and then, in the VM's thread, how far what the host called has come: between instructions of the
 * script, and between parts of array work. It must not use the VM. Anything but 0 ends the call, as
 * nacre_interrupt does. What it is given is valid during the call. */
typedef int (*NacreProgressFn)(void *ctx, const NacreProgress *progress);

/* Dry runs: what a program would do on many ranks, without its data (docs/ranks.md). The program is run as rank 0 of so
 * many ranks runs it, and arrays are distributed as there, but what they hold is neither computed nor sent: it is
 * unknown. Small arrays whose operands are known are computed. A program that looks at what is unknown sees zeros, or
 * what was there before, and the host is told. `write` and all other effects are the program's as always: the host
 * decides what comes of them. */

/* What a step is. */
typedef enum NacreDryKind {
    NACRE_DRY_KERNEL = 0,    /* array work: a loop or a library call */
    NACRE_DRY_EXCHANGE = 1,  /* messages between pairs of ranks */
    NACRE_DRY_GATHER = 2,    /* bytes of each rank to all */
    NACRE_DRY_BROADCAST = 3, /* bytes of one rank to all */
    NACRE_DRY_ASSUMED = 4    /* the program has looked at what is unknown */
} NacreDryKind;

/* An array that a kernel reads or writes. */
typedef struct NacreDryStream {
    double bytes;    /* of the largest part */
    double distance; /* bytes that the part touches between a load of an element and this one, by which it may have left
                        a cache; 0: it is touched for the first time */
    int whole;       /* every part touches as much of it */
} NacreDryStream;

enum {
    NACRE_DISTANCES = 3 /* how far ranks are from each other: on one socket, on one node, on different nodes */
};

/* A step of a dry run, as the host is told of it. */
typedef struct NacreDryStep {
    size_t struct_size;  /* sizeof(NacreDryStep), of the library */
    NacreDryKind kind;   /* what it is */
    const char *file;    /* where the program wrote it (of a kernel the last of its operations), or NULL; valid during the
                            callback */
    int line;            /* in that file; 0: not known */
    const char *what;    /* of a kernel that operation, of what was assumed a phrase; static */
    const char *why;     /* of a kernel, as what follows: why every rank does all of it though operands are distributed; NULL: that is not so */
    int is_library;      /* a library call */
    int is_shared;       /* each rank does its part */
    int dimension;       /* that is cut; -1: several are, over a grid of ranks */
    int ndim;            /* how many dimensions the space has that it goes along */
    const int64_t *shape; /* of that space */
    int64_t parts;       /* ranks that have one */
    double share;        /* the largest part, of all */
    double operations;   /* of the largest part; as in NacreKernel */
    int stream_count;    /* how many arrays the largest part reads and writes */
    const NacreDryStream *streams; /* these */
    uint64_t bytes;      /* of a gather (of each rank) or a broadcast */
    uint64_t messages, message_bytes; /* of an exchange, as what follows: of all ranks together */
    uint64_t received;                /* bytes, by the rank that receives most */
    uint64_t rank_messages[NACRE_DISTANCES], rank_bytes[NACRE_DISTANCES]; /* of the rank that has most of them, sent or
                                         received, to each distance */
    uint64_t node_bytes;              /* that leave a node, or reach it, where that is most */
} NacreDryStep;

/* Told of a step; `step` and what it points to is valid during the call. It must not use the VM. */
typedef void (*NacreDryStepFn)(void *ctx, const NacreDryStep *step);

/* What a dry run is of. */
typedef struct NacreDryRun {
    size_t struct_size; /* sizeof(NacreDryRun) */
    int ranks;          /* how many, at least 1, at most 1,048,576 */
    int socket_ranks, node_ranks; /* how many are on a socket, on a node: neighbours by their numbers. 0: all */
    NacreDryStepFn step; /* NULL: nobody is told */
    void *ctx;          /* passed to it */
} NacreDryRun;

/* Ranks that are VMs of one process: what "loopback" joins. */
typedef struct NacreGroup NacreGroup;

/* Zero every field that you do not set, as `NacreOptions options = {sizeof options};` does. */
typedef struct NacreOptions {
    size_t struct_size;      /* sizeof(NacreOptions); grows with the library */
    NacreAllocFn alloc;      /* NULL: the C library's */
    void *alloc_ctx;         /* passed to it */
    size_t memory_limit;     /* bytes the VM may hold; 0: no limit */
    int recursion_limit;     /* depth of calls; 0: 1000 */
    int unpooled;            /* every allocation reaches `alloc`, one by one (for fault injection) */
    NacreWriteFn write;      /* NULL: output is discarded */
    NacreReadFn read_line;   /* NULL: input is at its end */
    NacreDisplayFn display;  /* NULL: values are written */
    NacreWarnFn warn;        /* NULL: warnings are written */
    void *ctx;               /* passed to these callbacks and those below */
    const char *backend;     /* "cpu" (default) */
    int threads;             /* 0: as many as there are cores */
    int stress;              /* verify all reference counts at every statement, and keep and put off next to
                                nothing (slow; for tests) */
    int count_instructions;  /* keep the numbers nacre_instruction_count reports */
    int depth;               /* array operations that may be pending at once, at most 256 of them, with small
                                ones, which otherwise are done where they are written; a loop runs them when there are three
                                quarters of it, or 32; 0: the default, 1: none */
    int reproducible;        /* results are the same to the last bit for any number of threads, and so is what is run
                                together, when loops go on in machine code (after a count of rounds: that code is
                                waited for) and the order of sets: it follows from the program and its inputs, not
                                from addresses, the compiler's speed or the machine's memory (`memory_limit` alone
                                says what there is) */
    const char *tier;        /* machine code, made by the C compiler where the program runs ($NACRE_CC, or cc):
                                "interp" (default): none; "auto": for array work and for loops of the program that
                                cost enough, which go on without until it is there; "kernel": for all array work,
                                "function": for all loops, which wait for it. The same results */
    NacreReclaimFn reclaim;  /* NULL: nobody is asked */
    double time_limit;       /* seconds that a call of the host's may take, with all that it leads to; 0: no limit.
                                Then it ends with TimeoutError, which no script can handle; the VM stays usable.
                                A matrix product notices after 10^10 operations (a second of one busy core); FFTW's functions, and
                                LAPACK's of complex matrices, when they are done; all else within 50 ms. What scripts had put off
                                is computed once it is wanted */
    NacreAccessFn access;    /* NULL: scripts may do what the process may, none of it with `sandbox` */
    NacreModuleFn module;    /* NULL: there are built-in modules and files */
    int sandbox;             /* for scripts that nobody vouches for: no files but what `access` allows, no variables
                                of the environment, no compiler (`tier` is "interp"), no plug-ins. Set limits of
                                memory and time too */
    NacreProgressFn progress; /* NULL: nobody is told */
    double progress_interval; /* seconds from one such call to the next, at least; 0: 0.1. Within one call of a
                                library (BLIS, FFTW, LAPACK for complex matrices), one operation on a text or an int, and work of a
                                device, nothing is told */
    void *communicator;      /* with `ranks` "mpi": an MPI_Comm * of a host that initialised MPI itself; it is duplicated.
                                NULL: MPI_COMM_WORLD, and MPI is initialised and finalised by the library if nobody has */
    void *stream;            /* a cudaStream_t (CUstream) of the device's primary context, for backend "cuda": all work
                                goes through it, in order with the host's own, and it outlives the VM. NULL: one of
                                the VM's own. With other backends nacre_new fails rather than passing it over */
    NacrePublishFn publish;  /* NULL: there is text only, through `display` and `write` */
    NacreAskFn ask;          /* NULL: prompts are written, and lines come from `read_line` */
    int keep_interrupts;     /* nacre_interrupt while nothing runs is for what runs next, unless nacre_forget_interrupt
                                is called before; 0: it is forgotten */
    const char *strict;      /* what becomes of work that goes another way than these options ask for (NacreDetour):
                                NULL or "off": it is counted; "warn": a RuntimeWarning, once for each place of the
                                program; "error": RuntimeError, at its place */
    const char *ranks;       /* how this VM reaches the other ranks that run the same program (docs/ranks.md): NULL: it
                                runs alone; "mpi": processes that a launcher started; "loopback": VMs of this process,
                                each in a thread of its own, that share `group`. nacre_new then waits for all of them.
                                Every rank gets the same options and runs the same text */
    NacreGroup *group;       /* of "loopback" */
    int rank;                /* of "loopback": this VM's number in the group, from 0 */
    size_t split_least;      /* bytes from which on an array is distributed over the ranks; 0: 1 MiB */
    int check_ranks;         /* compare, before each step that all ranks take together, what each is about to do: where
                                they part is RuntimeError, with both lines */
    NacreRefusedFn refused;  /* NULL: the reason is lost */
    const NacreDryRun *dry_run; /* without `ranks`; copied. NULL: a run */
    size_t device_least;     /* elements from which on a loop whose operands are on the host runs on the backend's device;
                                0: the backend's number (16384 for cuda and opencl); 1: all do. Loops with an operand
                                that is on the device alone run there in any case */
    int unfused;             /* each array operation is run by itself, with its result in memory: what fusion is
                                compared with */
} NacreOptions;

/* The version this header is of; nacre_version tells the library's. */
enum {
    NACRE_VERSION_MAJOR = 0, /* other programs have to be changed for it */
    NACRE_VERSION_MINOR = 1, /* before 1.0, likewise */
    NACRE_VERSION_PATCH = 0  /* what was wrong is right */
};

/* The library's version, "major.minor.patch". */
NACRE_API const char *nacre_version(void);

/* Opens the libraries that read the environment when they are first used: a host with threads of its own calls this
 * before it starts them. BLIS is told the processor by a variable, which cannot be set later, and its matrix products
 * take up to three times as long without. Costs some milliseconds, once; else it is done when it is first needed. */
NACRE_API NacreStatus nacre_prepare(void);

/* Text describing how the library was built and what it found at run time: version, compiler,
 * libraries, CPU, BLIS configuration and why. Written through `write` as stream 1. */
NACRE_API NacreStatus nacre_info(NacreWriteFn write, void *ctx);

/* A library, device or tool that the engine uses where it is there. Texts end with a NUL, and are cut off where
 * they do not fit. */
typedef struct NacreFeature {
    size_t struct_size; /* set by the caller to sizeof(NacreFeature) */
    int is_there;       /* now, in this process */
    char name[32];      /* "BLIS" */
    char detail[512];   /* its place and kind, or what there is instead */
} NacreFeature;

/* Feature number `index` of those that nacre_info writes lines about. 0 past the last one, and for a
 * struct_size that makes no sense. */
NACRE_API int nacre_feature(int index, NacreFeature *feature);

/* Whether there is a backend of that name, in the library or in a plug-in beside it. What it needs,
 * a device, may still be missing: then nacre_new fails. */
NACRE_API int nacre_backend_known(const char *name);

/* How a group behaves: a test bench for programs on many ranks. Zero every field that you do not set. */
typedef struct NacreGroupOptions {
    size_t struct_size; /* sizeof(NacreGroupOptions) */
    int ranks;          /* how many, at least 1 */
    uint64_t seed;      /* not 0: messages are late, and handed over in another order, as this number decides */
    double stall;       /* seconds after which a rank that keeps the others waiting counts as gone; 0: 60 */
    int lost_rank;      /* this rank ends without a word */
    uint64_t lost_step; /* in its collective step of this number, from 1; 0: never */
} NacreGroupOptions;

/* A group of ranks for options.group. NULL: out of memory, or options that make no sense. Any thread. */
NACRE_API NacreGroup *nacre_group_new(const NacreGroupOptions *options);
/* Frees it; its memory goes with the last VM that is in it. NULL is allowed. */
NACRE_API void nacre_group_free(NacreGroup *group);

/* Creates a VM. `options` may be NULL. Returns NULL when out of memory, when an option is not
 * understood (unknown backend, struct_size of another library), when the backend has no device, or when the
 * ranks cannot be joined. */
NACRE_API NacreVm *nacre_new(const NacreOptions *options);

/* Destroys a VM and everything it holds. NULL is allowed. Not from inside a callback. What is done with
 * the handle afterwards is undefined; debug builds of the library refuse it as they do a NULL, and
 * nacre_error_text says why. It does not wait for calls of LAPACK that were left (nacre_interrupt). */
NACRE_API void nacre_free(NacreVm *vm);

/* Sets sys.argv: argv[0] is the script's name. Strings are copied. Here and in names of files, bytes
 * that are no UTF-8 become lone surrogates of the script's text, as in Python. */
NACRE_API NacreStatus nacre_set_argv(NacreVm *vm, int argc, const char *const *argv);

/* What a text is taken for. */
typedef enum NacreMode {
    NACRE_FILE = 0,        /* any number of statements */
    NACRE_INTERACTIVE = 1, /* one statement as typed at a prompt; values of expressions are shown */
    NACRE_EXPRESSION = 2,  /* one expression; nacre_result_text gives its repr */
    NACRE_CELL = 3         /* any number of statements; the value of the last one, if that is an expression, is shown */
} NacreMode;

/* Runs text (UTF-8) in the main module, which keeps its variables from one call to the next.
 * `filename` is what error messages call it. */
NACRE_API NacreStatus nacre_run(NacreVm *vm, const char *text, size_t len, const char *filename,
                                NacreMode mode);

/* Reads and runs a file. Modules beside it can be imported. */
NACRE_API NacreStatus nacre_run_file(NacreVm *vm, const char *path);

/* After NACRE_ERROR and NACRE_INTERRUPTED: the traceback and message as Python prints them, with a
 * newline at the end. Valid until the next call that runs something. "" when there is none. */
NACRE_API const char *nacre_error_text(const NacreVm *vm);

/* How many bytes that text has, without the NUL after it. A message may contain NULs itself. */
NACRE_API size_t nacre_error_size(const NacreVm *vm);

/* After NACRE_ERROR: the exception's class ("ValueError"), and the line of the innermost frame of
 * the traceback in the script (0 when unknown). */
NACRE_API const char *nacre_error_class(const NacreVm *vm);
NACRE_API int nacre_error_line(const NacreVm *vm);

/* After NACRE_EXIT: the status the script asked for. */
NACRE_API int nacre_exit_code(const NacreVm *vm);

/* After NACRE_OK in NACRE_EXPRESSION mode: the value's repr; "" otherwise. */
NACRE_API const char *nacre_result_text(const NacreVm *vm);

/* Asks a running script to stop: it raises KeyboardInterrupt at its next loop iteration, call of a
 * long operation, or tile. Safe from any thread and from signal handlers.
 *
 * A long call of LAPACK cannot be stopped; it is left. It has a thread and memory of its own, which end when it does,
 * seconds later perhaps, and keep a core busy until then. At most two such calls go on in a process: further long ones
 * wait for one to end. They do not need the VM. Once there was one, the library stays loaded, whatever dlclose is
 * asked. Their memory is the C library's; it counts towards memory_limit until they have ended, as long as there is the
 * VM. time_limit and NacreProgressFn leave calls in the same way. */
NACRE_API void nacre_interrupt(NacreVm *vm);

/* With keep_interrupts: what was asked for so far does not count. Safe from any thread; to be called while nothing
 * runs. */
NACRE_API void nacre_forget_interrupt(NacreVm *vm);

/* Whether what runs is to stop and has not been told yet: 1 from nacre_interrupt, or the end of time_limit, until the
 * exception is raised (in a function of the host that may be once it has returned) or nacre_forget_interrupt; 0
 * otherwise. For functions of the host that wait, as `ask` does: they return, failing. Safe from any thread and from
 * signal handlers. */
NACRE_API int nacre_interrupted(const NacreVm *vm);

/* What a prompt does with the text so far. */
typedef enum NacreCompleteness {
    NACRE_COMPLETE = 0,   /* a whole statement, or several: run it */
    NACRE_INCOMPLETE = 1, /* the start of one: ask for another line */
    NACRE_INVALID = 2     /* wrong, whatever follows: run it to hear why */
} NacreCompleteness;

/* For prompts: is this text a whole statement, the start of one, or wrong? Lines are joined by '\n'
 * and the last one has none; a compound statement is whole once its last line is empty. */
NACRE_API NacreCompleteness nacre_is_complete(NacreVm *vm, const char *text, size_t len);

/* Called once per completion, in alphabetical order. */
typedef void (*NacreCompleteFn)(void *ctx, const char *completion);

/* Names that could stand at the end of `text` (a partial line): variables, built-ins, keywords,
 * attributes after a dot; modules after `import` and `from`, and after `from m import` the names in
 * m if it has been imported. Names that begin with '_' only where the word does. *start is where in
 * `text` the completed word begins. A completion is valid during the call of `each`, which must not
 * use the VM. No code of the user runs. NACRE_ERROR (without an error text) when memory runs out. */
NACRE_API NacreStatus nacre_complete(NacreVm *vm, const char *text, size_t len, size_t *start,
                                     NacreCompleteFn each, void *ctx);

/* Documentation of a dotted name: signature and docstring, through `write` as stream 1. NACRE_ERROR
 * (without an error text) when there is no such name. No code of the user runs. Within functions of the host too. */
NACRE_API NacreStatus nacre_inspect(NacreVm *vm, const char *name, size_t len, NacreWriteFn write,
                                    void *ctx);

/* One docstring: of the module ("" for a name), or of a function or class ("f", "C", "C.m"), and the
 * line where its literal begins. The bytes, `len` of them, are valid during the call. */
typedef void (*NacreDocFn)(void *ctx, const char *name, int line, const char *text, size_t len);

/* The docstrings in a program's text, in its order, without running it: of the module, its functions
 * and classes, and theirs in turn, but not of what is defined within functions. `each` must not use
 * the VM. NACRE_ERROR (without an error text) when the text cannot be parsed or memory runs out. */
NACRE_API NacreStatus nacre_docstrings(NacreVm *vm, const char *text, size_t len, NacreDocFn each,
                                       void *ctx);

/* From nacre_scratch_begin to nacre_scratch_end, nacre_run has a main module of its own, which begins
 * with the variables of the real one: what is assigned or deleted meanwhile is undone at the end.
 * Objects are not copied, and functions defined before go on using the real module's variables.
 * NACRE_ERROR (without an error text) when memory runs out; NACRE_MISUSE for a second begin, or an
 * end without begin. */
NACRE_API NacreStatus nacre_scratch_begin(NacreVm *vm);
NACRE_API NacreStatus nacre_scratch_end(NacreVm *vm);

/* Figures about a VM. */
typedef struct NacreStats {
    size_t struct_size;         /* set by the caller to sizeof(NacreStats) */
    size_t memory_in_use, memory_peak; /* bytes through `alloc`, and those of LAPACK's long calls: now, and at most so far */
    uint64_t allocations;       /* requests made of the VM's allocator */
    uint64_t objects;           /* objects the cycle collector knows now */
    uint64_t nodes_recorded, nodes_executed, nodes_eliminated, nodes_pending; /* array operations that were put
                                   off; of these, done, dropped as nobody would know of them, still pending */
    uint64_t kernels, library_calls; /* that were run; of these, routines of libraries */
    uint64_t bytes_host_to_device, bytes_device_to_host;   /* of all copies of arrays */
    uint64_t copies_host_to_device, copies_device_to_host; /* how many copies of arrays */
    uint64_t fallbacks;         /* kernels run on the host because the backend could not, and machine code of loops
                                   that brought arrays to the host: see NacreDetour for where */
    uint64_t plans_made, plans_reused; /* for nodes that were run together */
    uint64_t system_allocations; /* calls of `alloc` (or the C library's) for memory: what neither pools of
                                    small blocks nor kept memory of arrays could serve */
    uint64_t threads, threads_used; /* that may work on arrays; that have, the script's among them */
    uint64_t kernels_in_bands; /* of `kernels`: run a band of rows at a time, with those that follow */
    uint64_t kernels_compiled; /* kinds of kernels for which machine code was made */
    uint64_t direct_operations; /* small ones, done where they were written; no nodes and no kernels */
    uint64_t loops_compiled;    /* loops that got machine code, each for the types of its variables */
    uint64_t loops_entered;     /* how often a loop went on in machine code */
    uint64_t loops_left;        /* how often one of these came back for what its types do not cover */
    uint64_t loop_rounds;       /* how many rounds were made in machine code */
    uint64_t parallel_rounds;   /* rounds of loops that were shared by threads */
    uint64_t waits;               /* how often the backend's device was waited for */
    uint64_t plans_hash;        /* of all that was run together, in order: the same where two runs decided alike */
    uint64_t ranks, rank;       /* how many ranks run the program, at least 1; which one this is, from 0 */
    uint64_t messages_sent, messages_received;           /* of this rank, to and from others */
    uint64_t message_bytes_sent, message_bytes_received; /* what these were, in bytes */
    uint64_t exchanges, gathers, broadcasts; /* steps that all ranks took together: messages between pairs; bytes of each
                                   to all; bytes of one to all */
    double seconds_with_ranks;  /* that this rank spent in them, waiting for the others too */
    uint64_t kernels_shared;    /* of `kernels` and `library_calls`: of which each rank did its part */
    uint64_t kernels_gathered;  /* that every rank did whole although an operand was distributed: it was gathered */
    uint64_t arrays_gathered;   /* how often a distributed array was brought whole to all ranks, for those, for the
                                   script's eyes or for the host */
    uint64_t array_exchanges;   /* how often ranks brought parts of an array that they did not hold, and */
    uint64_t array_bytes_received; /* how many bytes that were for this rank, those of arrays_gathered too */
    uint64_t array_memory_peak; /* of a dry run: bytes of arrays that a rank would hold at most */
    uint64_t device_rounds;     /* rounds of loops that a device made, in kernels */
    uint64_t rank_rounds;       /* rounds that this rank made, of loops that ranks shared */
} NacreStats;
/* What they are now. They count from nacre_new on. */
NACRE_API NacreStatus nacre_stats(const NacreVm *vm, NacreStats *stats);
/* The same of another rank of a dry run: what ranks send and receive is theirs. NACRE_MISUSE for a rank that there is
 * not, and for any but one's own where it is no dry run. */
NACRE_API NacreStatus nacre_rank_stats(const NacreVm *vm, int rank, NacreStats *stats);

/* How often kernels of array operation number `index` were launched; its name (NumPy's) through
 * *name. Returns 0 past the last one with *name NULL. */
NACRE_API uint64_t nacre_operation_count(const NacreVm *vm, int index, const char **name);

/* A loop of the program that ran long enough for machine code to be made of it (tier "auto" or "function"). */
typedef struct NacreLoop {
    size_t struct_size; /* set by the caller to sizeof(NacreLoop) */
    const char *file;   /* borrowed, for as long as the VM runs nothing */
    uint32_t line;      /* of its head */
    uint32_t variants;  /* for how many different types of its variables it was looked at */
    uint32_t compiled;  /* variants that have machine code */
    uint64_t entered, left, rounds; /* as in NacreStats */
    uint32_t why_line;  /* 0: nothing; else a line that was left to the interpreter, the last one */
    const char *why;    /* what of that line: static, not to be freed */
    uint64_t parallel_rounds; /* rounds that threads shared, of the loop in line parallel_line */
    uint32_t parallel_line, threads; /* the loop (this one or one within) and how many threads at most */
    uint32_t serial_line; /* the loop that `serial` is about */
    const char *serial;   /* why it does not run in parallel: NULL, or static */
    uint64_t device_rounds; /* rounds that a device made in kernels, of the loop in line device_line */
    uint32_t device_line; /* the loop (this one or one within) */
    uint64_t rank_rounds; /* rounds that this rank made of the loop in line rank_line, which ranks shared */
    uint32_t rank_line; /* the loop (this one or one within) */
} NacreLoop;
/* Loop number `index`, in the order in which they were noticed. NACRE_MISUSE: there is none. */
NACRE_API NacreStatus nacre_loop(const NacreVm *vm, int index, NacreLoop *loop);

/* Work that went another way than the VM's options ask for, at one place of the program, for one reason. */
typedef struct NacreDetour {
    size_t struct_size; /* set by the caller to sizeof(NacreDetour) */
    const char *kind;   /* "kernel": a fallback of NacreStats; "transfer": an array was brought from a device to the
                           host for the library's own purposes, not because the program reads elements or shows
                           them; "gathered": an operation on a distributed array was done whole by every rank, on
                           operands that were brought to all; "rows": operands on a grid of ranks were brought into
                           blocks of rows, as the operation knows no boxes; "interpreted", counted with NacreOptions.strict only: a loop had no machine code,
                           or left it, though the tier is "function". Static */
    const char *file;   /* NULL: not known. Like `text` borrowed, for as long as the VM runs nothing */
    uint32_t line;      /* 0: not known */
    const char *text;   /* what, and why: "argsort runs on the host: opencl has no argsort" */
    uint64_t count;     /* how often so far */
} NacreDetour;
/* Number `index`, in the order in which they were met first. NACRE_MISUSE: there is none. */
NACRE_API NacreStatus nacre_detour(const NacreVm *vm, int index, NacreDetour *detour);

/* What one line of the program had to do with the other ranks, as this rank sees it. */
typedef struct NacreRankLine {
    size_t struct_size;   /* set by the caller to sizeof(NacreRankLine) */
    const char *file;     /* NULL: nowhere in the program. Like `why` borrowed, for as long as the VM runs nothing */
    uint32_t line;        /* 0: not known */
    uint64_t exchanges, gathers, broadcasts; /* steps of all ranks together that it led to, as in NacreStats; */
    uint64_t messages_sent, messages_received, message_bytes_sent, message_bytes_received; /* their messages, and */
    double seconds;       /* how long they took, waiting for the others too */
    uint64_t results_cut; /* results of which each rank made, and keeps, its part, */
    uint64_t axes_cut;    /* cut along these axes: bit i is axis i; */
    uint64_t results_combined; /* that were combined of what each rank made of its part of the operands; */
    uint64_t results_whole;    /* that every rank made by itself, or that are small */
    uint64_t array_exchanges;  /* how often parts of an operand were brought that ranks lacked, and */
    uint64_t array_bytes_received; /* how many bytes came to this one; both beside what follows */
    uint64_t arrays_gathered;  /* how often an array was brought whole to all ranks, and */
    uint64_t array_bytes_gathered; /* how many bytes these arrays have */
    const char *why;      /* why that was, the last time; NULL: it never was */
} NacreRankLine;
/* Number `index`, in the order in which they were met first. NACRE_MISUSE: there is none. */
NACRE_API NacreStatus nacre_rank_line(const NacreVm *vm, int index, NacreRankLine *line);

/* What went from this rank to another one: parts of arrays, and what it gave to all of them, however the transport
 * does that. NACRE_MISUSE: there is no such rank. */
NACRE_API NacreStatus nacre_rank_sent(const NacreVm *vm, int rank, uint64_t *messages, uint64_t *bytes);

/* Called once per rank, in their order, with what it has given. */
typedef void (*NacreCollectFn)(void *ctx, int rank, const void *bytes, size_t len);
/* Bytes of each rank, for all of them: every rank calls it, at the same point, while nothing runs. NACRE_ERROR: a rank
 * is gone, or out of memory; nacre_error_text says so, and nobody was called. */
NACRE_API NacreStatus nacre_collect(NacreVm *vm, const void *bytes, size_t len, NacreCollectFn each, void *ctx);

/* Source text of machine code, for people, through `write` as stream 1: of loop number `index` for one
 * set of types of its variables (0 … variants-1), with the program's lines as comments; of kind of
 * kernel number `index`. NACRE_MISUSE: there is none. NACRE_ERROR (without an error text) when memory
 * runs out or `write` fails. */
NACRE_API NacreStatus nacre_loop_source(NacreVm *vm, int index, int variant, NacreWriteFn write,
                                        void *ctx);
NACRE_API NacreStatus nacre_kernel_source(NacreVm *vm, int index, NacreWriteFn write, void *ctx);

/* With count_instructions: how often instruction number `index` ran; its name through *name. Returns
 * 0 past the last one with *name NULL. */
NACRE_API uint64_t nacre_instruction_count(const NacreVm *vm, int index, const char **name);

/* --- Values ------------------------------------------------------------------------------------
 *
 * A NacreValue is a host's hold on a value of a script: a number, a text, a list, an array, a
 * function. The value lives for as long as somebody holds it, in the script or here. Functions that
 * return a hold, or give one through `out`, give it to the caller, who lets go of it with
 * nacre_release; nacre_free lets go of all that are left. Holds that are handed in stay the caller's.
 *
 * Functions that return a hold return NULL, and those that return a status leave *out alone, where
 * they fail; nacre_error_text and its relatives tell why, until the next call that can fail. They run
 * code of the script where values have methods of their own (a class with __getitem__). All of them
 * may be used while nothing runs and within functions of the host (nacre_function), not in other
 * callbacks: there they answer NACRE_MISUSE or NULL, as they do for NULLs, holds that were let go of,
 * and holds of another VM. */

/* A hold on a value, of one VM. */
typedef struct NacreValue NacreValue;

/* What a value is, as far as a host would treat it otherwise. */
typedef enum NacreKind {
    NACRE_KIND_NONE = 0,     /* None */
    NACRE_KIND_BOOL = 1,     /* True or False */
    NACRE_KIND_INT = 2,      /* of any size */
    NACRE_KIND_FLOAT = 3,    /* of 64 bits */
    NACRE_KIND_COMPLEX = 4,  /* of two such */
    NACRE_KIND_SCALAR = 5,   /* a NumPy scalar: nacre_array_info has its dtype */
    NACRE_KIND_TEXT = 6,     /* a str */
    NACRE_KIND_BYTES = 7,    /* bytes */
    NACRE_KIND_TUPLE = 8,    /* fixed */
    NACRE_KIND_LIST = 9,     /* may grow */
    NACRE_KIND_DICT = 10,    /* keys and their values */
    NACRE_KIND_SET = 11,     /* or a frozenset */
    NACRE_KIND_ARRAY = 12,   /* a NumPy array, of any dimensions */
    NACRE_KIND_CALLABLE = 13, /* a function, a method, a class */
    NACRE_KIND_MODULE = 14,  /* what import gives */
    NACRE_KIND_OTHER = 15    /* anything else */
} NacreKind;

/* Another hold on the same value. */
NACRE_API NacreValue *nacre_hold(NacreVm *vm, NacreValue *value);

/* Lets go of a value. NULL is allowed. The one function for values that may be called in any callback
 * but those of the allocator, though not from another thread. */
NACRE_API void nacre_release(NacreVm *vm, NacreValue *value);

/* How many holds the host has on values of this VM. */
NACRE_API size_t nacre_held(const NacreVm *vm);

/* Values made of C's. Text is UTF-8: ValueError (UnicodeDecodeError) if it is not. The items of a
 * tuple, a list and a dict are copied references; a dict's keys must be hashable. */
NACRE_API NacreValue *nacre_none(NacreVm *vm);
NACRE_API NacreValue *nacre_bool(NacreVm *vm, int truth);
NACRE_API NacreValue *nacre_int(NacreVm *vm, int64_t number);
NACRE_API NacreValue *nacre_uint(NacreVm *vm, uint64_t number);
NACRE_API NacreValue *nacre_float(NacreVm *vm, double number);
NACRE_API NacreValue *nacre_complex(NacreVm *vm, double real, double imaginary);
NACRE_API NacreValue *nacre_text(NacreVm *vm, const char *text, size_t len);
NACRE_API NacreValue *nacre_bytes(NacreVm *vm, const void *data, size_t len);
NACRE_API NacreValue *nacre_tuple(NacreVm *vm, size_t count, NacreValue *const *items);
NACRE_API NacreValue *nacre_list(NacreVm *vm, size_t count, NacreValue *const *items);
NACRE_API NacreValue *nacre_dict(NacreVm *vm, size_t count, NacreValue *const *keys,
                                 NacreValue *const *values);
/* start:stop:step, for indexing; NULL where one is left out. */
NACRE_API NacreValue *nacre_slice(NacreVm *vm, NacreValue *start, NacreValue *stop, NacreValue *step);
/* The `...` of an index. */
NACRE_API NacreValue *nacre_ellipsis(NacreVm *vm);

/* What a value is. NACRE_KIND_OTHER for NULL and what was let go of. */
NACRE_API NacreKind nacre_kind(const NacreVm *vm, const NacreValue *value);
/* The name of its class ("ndarray", "float64"), valid while the value is held; "" for no value. */
NACRE_API const char *nacre_type_name(NacreVm *vm, const NacreValue *value);
/* Whether two holds are of the very same value (Python's `is`). */
NACRE_API int nacre_same(const NacreValue *a, const NacreValue *b);

/* Values as C's. TypeError where the value is of another kind; OverflowError for an int beyond 64
 * bits. NumPy scalars and arrays without dimensions count as the numbers they hold. nacre_as_truth is
 * Python's bool(). Text and bytes are valid while the value is held; a NUL follows the last byte. */
NACRE_API NacreStatus nacre_as_truth(NacreVm *vm, NacreValue *value, int *truth);
NACRE_API NacreStatus nacre_as_int(NacreVm *vm, NacreValue *value, int64_t *number);
NACRE_API NacreStatus nacre_as_float(NacreVm *vm, NacreValue *value, double *number);
NACRE_API NacreStatus nacre_as_complex(NacreVm *vm, NacreValue *value, double *real,
                                       double *imaginary);
NACRE_API NacreStatus nacre_as_text(NacreVm *vm, NacreValue *value, const char **text, size_t *len);
NACRE_API NacreStatus nacre_as_bytes(NacreVm *vm, NacreValue *value, const void **data, size_t *len);

/* str(value) and repr(value), as values of kind text. */
NACRE_API NacreStatus nacre_str(NacreVm *vm, NacreValue *value, NacreValue **out);
NACRE_API NacreStatus nacre_repr(NacreVm *vm, NacreValue *value, NacreValue **out);

/* len(value), value[key], value[key] = item, del value[key]. nacre_at is value[index]. */
NACRE_API NacreStatus nacre_length(NacreVm *vm, NacreValue *value, int64_t *length);
NACRE_API NacreStatus nacre_item(NacreVm *vm, NacreValue *value, NacreValue *key, NacreValue **out);
NACRE_API NacreStatus nacre_at(NacreVm *vm, NacreValue *value, int64_t index, NacreValue **out);
NACRE_API NacreStatus nacre_set_item(NacreVm *vm, NacreValue *value, NacreValue *key,
                                     NacreValue *item);
NACRE_API NacreStatus nacre_delete_item(NacreVm *vm, NacreValue *value, NacreValue *key);

/* value.name, value.name = item. */
NACRE_API NacreStatus nacre_attribute(NacreVm *vm, NacreValue *value, const char *name,
                                      NacreValue **out);
NACRE_API NacreStatus nacre_set_attribute(NacreVm *vm, NacreValue *value, const char *name,
                                          NacreValue *item);

/* An operator by its spelling: "+ - * / // % ** @ & | ^ << >>", "== != < <= > >=", "in", "not in";
 * "+=" and its like, whose result is `a` where that was changed in place; with b NULL "+ - ~ not".
 * ValueError for any other. */
NACRE_API NacreStatus nacre_operator(NacreVm *vm, const char *symbol, NacreValue *a, NacreValue *b,
                                     NacreValue **out);

/* iter(value), and an iterator's next value: NACRE_OK with *out NULL at its end. */
NACRE_API NacreStatus nacre_iterate(NacreVm *vm, NacreValue *value, NacreValue **out);
NACRE_API NacreStatus nacre_next(NacreVm *vm, NacreValue *iterator, NacreValue **out);

/* Variables of the main module; NameError when there is none of that name. A module by its dotted
 * name, imported if it has not been: ModuleNotFoundError. */
NACRE_API NacreStatus nacre_global(NacreVm *vm, const char *name, NacreValue **out);
NACRE_API NacreStatus nacre_set_global(NacreVm *vm, const char *name, NacreValue *value);
NACRE_API NacreStatus nacre_import(NacreVm *vm, const char *name, NacreValue **out);

/* Compiles text into a function without parameters, which runs it in the main module; one of
 * NACRE_EXPRESSION returns its value. SyntaxError as from nacre_run. NACRE_INTERACTIVE is not for this. */
NACRE_API NacreStatus nacre_compile(NacreVm *vm, const char *text, size_t len, const char *filename,
                                    NacreMode mode, NacreValue **out);
/* The value of an expression. */
NACRE_API NacreStatus nacre_evaluate(NacreVm *vm, const char *text, size_t len, const char *filename,
                                     NacreValue **out);

/* Calls a function, a method, a class. `args` has `count` positional arguments and behind them, for
 * nacre_call_with, one for each of the keywords `names`. `out` may be NULL. Unlike nacre_run, a call
 * does not wait for array work that it has put off: that is done when somebody looks at its elements. */
NACRE_API NacreStatus nacre_call(NacreVm *vm, NacreValue *callee, size_t count,
                                 NacreValue *const *args, NacreValue **out);
NACRE_API NacreStatus nacre_call_with(NacreVm *vm, NacreValue *callee, size_t count,
                                      NacreValue *const *args, size_t name_count,
                                      const char *const *names, NacreValue **out);
/* value.name(*args) */
NACRE_API NacreStatus nacre_call_method(NacreVm *vm, NacreValue *value, const char *name, size_t count,
                                        NacreValue *const *args, NacreValue **out);

/* --- Functions of the host ----------------------------------------------------------------------
 *
 * Called by scripts like functions of the language. The host may use all functions for values within
 * one, run scripts and call functions of the script, to a depth of 100 such calls within one another
 * (RecursionError). */

/* `args` has a value for each parameter of the signature: those that may be positional in their order, those
 * that are keywords only, then a tuple for *args and a dict for **keywords. They are valid during the call;
 * nacre_hold keeps one. `*result` is NULL; a hold put there
 * is taken over, none is None. Anything but NACRE_OK raises: what nacre_raise was given, else the exception
 * of the last call that failed in this function, else RuntimeError. */
typedef NacreStatus (*NacreFn)(void *ctx, NacreVm *vm, size_t count, NacreValue *const *args,
                               NacreValue **result);

/* Called when nobody can call the function any more, during a call on the VM or in nacre_free. It must
 * not use the VM. */
typedef void (*NacreDropFn)(void *ctx);

/* A function of the host, for nacre_function. */
typedef struct NacreFunction {
    size_t struct_size;    /* sizeof(NacreFunction) */
    const char *name;      /* what it is called in tracebacks and by `__name__` */
    const char *signature; /* the parameters as in a def: "x, n=10, *rest, scale=1.0"; NULL: "*args" */
    const char *doc;       /* or NULL */
    NacreFn fn;            /* what is called */
    void *ctx;             /* passed to fn and drop */
    NacreDropFn drop;      /* or NULL; called too if this function cannot be made */
} NacreFunction;

/* A function as a value; nacre_set_global or nacre_set_attribute (of a module) gives it to scripts.
 * SyntaxError for a signature that is none, ValueError for more than 64 parameters. Texts are copied. */
NACRE_API NacreStatus nacre_function(NacreVm *vm, const NacreFunction *function, NacreValue **out);

/* Raises an exception: `class_name` is one of Python's or NumPy's built-in ones ("ValueError"), the
 * message is UTF-8. Returns NACRE_ERROR, so that a function of the host can end with it; outside of
 * such a function the exception is what nacre_error_text tells of. */
NACRE_API NacreStatus nacre_raise(NacreVm *vm, const char *class_name, const char *message);

/* The exception after NACRE_ERROR, as a value (to be raised again: nacre_raise_value), or NULL. */
NACRE_API NacreValue *nacre_error_value(NacreVm *vm);
NACRE_API NacreStatus nacre_raise_value(NacreVm *vm, NacreValue *exception);
/* What str() gives of it: the message without class and traceback; "" when there is none. */
NACRE_API const char *nacre_error_message(const NacreVm *vm);

/* A place that the exception passed through: number 0 is where it was raised. Texts are valid until the
 * next call that can fail. */
typedef struct NacreFrame {
    size_t struct_size; /* sizeof(NacreFrame) */
    const char *file, *function; /* "<module>" outside of functions */
    int line, column;         /* from 1; of a SyntaxError, where the text stopped making sense */
    int end_line, end_column; /* behind the last character; in modules of the library lines only are known, and
                               * columns are 1 */
} NacreFrame;
/* Frame number `index` of the last call that failed. NACRE_MISUSE: there is none of that number. */
NACRE_API NacreStatus nacre_error_frame(const NacreVm *vm, int index, NacreFrame *frame);

/* --- Arrays --------------------------------------------------------------------------------------
 *
 * dtypes are NumPy's names ("float64", "bool", "int32", "complex128"). Shapes are extents, outermost
 * first; strides are in bytes and may be negative or 0; NULL for them means C order. */

/* What arrays have at most. */
enum {
    NACRE_NDIM_MAX = 64 /* dimensions */
};

/* What an array is like. */
typedef struct NacreArray {
    size_t struct_size; /* sizeof(NacreArray) */
    const char *dtype;  /* static */
    char kind;          /* 'b' bool, 'i', 'u', 'f', 'c' */
    size_t itemsize;    /* bytes of an element */
    int ndim;           /* how many dimensions */
    const int64_t *shape, *strides; /* ndim each; valid while the array is held and keeps its shape */
    int64_t size;       /* elements */
    int is_writable, is_contiguous; /* contiguous: in C order without gaps */
} NacreArray;

/* Of an array or a NumPy scalar (which has no dimensions); TypeError for anything else. Computes nothing. */
NACRE_API NacreStatus nacre_array_info(NacreVm *vm, NacreValue *value, NacreArray *info);

/* np.asarray(value, dtype); dtype may be NULL. An array is returned as it is where that fits. */
NACRE_API NacreStatus nacre_as_array(NacreVm *vm, NacreValue *value, const char *dtype,
                                     NacreValue **out);

/* A new array of zeros. */
NACRE_API NacreStatus nacre_array(NacreVm *vm, const char *dtype, int ndim, const int64_t *shape,
                                  NacreValue **out);

/* Memory of the host, seen as an array without a copy. It must stay where it is until `release` is
 * called, which happens once: when nobody sees it any more, or if this function fails. What scripts write
 * is there once the array is looked at (nacre_read, nacre_write), or a run has ended. While a script may
 * use the array, the host must not write to it, but between calls: after nacre_write. Memory that is freed
 * before is only noticed in some cases: BufferError, with `stress`. */
typedef struct NacreMemory {
    size_t struct_size;     /* sizeof(NacreMemory) */
    void *data;             /* the first element, aligned for its dtype */
    const char *dtype;      /* "float64" */
    int ndim;               /* how many dimensions */
    const int64_t *shape, *strides; /* ndim each; no strides (NULL): C order */
    int is_readonly;        /* scripts may not write to it */
    void (*release)(void *ctx, void *data); /* or NULL; any thread; must not use the VM */
    void *ctx;              /* passed to release */
} NacreMemory;
/* The array. ValueError for what cannot be one: no memory, shapes and strides beyond all bounds, elements that
 * are not aligned; TypeError for a dtype that there is not. */
NACRE_API NacreStatus nacre_wrap(NacreVm *vm, const NacreMemory *memory, NacreValue **out);

/* Runs what an array waits for and gives the address of its first element, for reading; for reading
 * and writing, ValueError if it is read-only. Strides are the array's. The address is good until the next
 * call that runs, calls or operates on anything in this VM. */
NACRE_API NacreStatus nacre_read(NacreVm *vm, NacreValue *array, const void **data);
NACRE_API NacreStatus nacre_write(NacreVm *vm, NacreValue *array, void **data);

/* Copies all elements, in C order without gaps, to or from `data`, which has `bytes` bytes: ValueError if
 * that is not the array's size times its itemsize. */
NACRE_API NacreStatus nacre_copy_to(NacreVm *vm, NacreValue *array, void *data, size_t bytes);
NACRE_API NacreStatus nacre_copy_from(NacreVm *vm, NacreValue *array, const void *data, size_t bytes);

/* Arrays to and from other libraries without a copy, by DLPack (https://dmlc.github.io/dlpack). A tensor is
 * a DLManagedTensorVersioned, of version 1, if `versioned`, else a DLManagedTensor.
 *
 * nacre_to_dlpack: whoever gets the tensor calls its deleter once, from any thread, at any time, after
 * nacre_free too; until the last one the memory of the VM stays. BufferError for a read-only array without
 * `versioned`. What the other library writes, scripts see as said of nacre_wrap. An array over a mapped file
 * or bytes is copied (the flag says so).
 *
 * nacre_from_dlpack takes the tensor over, also if it fails: its deleter is called as `release` of nacre_wrap
 * is. BufferError for memory of a device that is not the VM's, or a later version, RuntimeError for elements that there
 * are not.
 *
 * An array whose elements a CUDA device has made is handed out there, and stays there. Each call of the library
 * finds done what was put into the default stream (the legacy one) before, and what is put there later finds done what
 * scripts have written; work in streams that do not wait for that one is the host's to order. nacre_write is a
 * BufferError then. */
NACRE_API NacreStatus nacre_to_dlpack(NacreVm *vm, NacreValue *array, int versioned, void **tensor);
NACRE_API NacreStatus nacre_from_dlpack(NacreVm *vm, void *tensor, int versioned, NacreValue **out);

/* What `__dlpack__` of the array API standard is asked for. Zero every field that you do not set. */
typedef struct NacreDlpack {
    size_t struct_size; /* sizeof(NacreDlpack) */
    int versioned;      /* as of nacre_to_dlpack: max_version is 1.0 or later */
    int on_host;        /* dl_device is (1, 0): what is on a device is copied */
    int copy;           /* 1: always, -1: never (BufferError), 0: where there is no other way */
    int64_t stream;     /* of a device: which one finds the elements there. A cudaStream_t, 1 or 2; 0: 1; -1: none waits */
} NacreDlpack;
/* nacre_to_dlpack with all that can be asked for. RuntimeError for a stream that there is not. */
NACRE_API NacreStatus nacre_dlpack(NacreVm *vm, NacreValue *array, const NacreDlpack *asked, void **tensor);
/* `__dlpack_device__`: DLPack's type and number of where the array would be handed out, once what it waits for has run. */
NACRE_API NacreStatus nacre_dlpack_device(NacreVm *vm, NacreValue *array, int *type, int *number);

/* An operation of the op table (nacre_operation_count lists them) or any function of numpy, by its name:
 * numpy.name(*operands). Array work is put off, as in a script. */
NACRE_API NacreStatus nacre_apply(NacreVm *vm, const char *name, size_t count,
                                  NacreValue *const *operands, NacreValue **out);

/* Computes several arrays together: what they have in common is computed once, and loops are joined.
 * Values that are no arrays are passed over. With count 0, everything that is pending. */
NACRE_API NacreStatus nacre_compute(NacreVm *vm, size_t count, NacreValue *const *arrays);

/* Says that an array is held only because the host does not know better: in a register of an interpreter, say.
 * While its elements are not asked for and are computed element by element, they are not stored with what is
 * computed of them; if they are asked for after all, they are computed then. That happens once for an array: the
 * next time it is stored. With defer 0 the array is like all others again. What is no array is passed over. */
NACRE_API NacreStatus nacre_defer(NacreVm *vm, NacreValue *array, int defer);

/* --- Watching array work ---------------------------------------------------------------------
 *
 * Array operations are put off. Those that run together are a plan: nodes in the order of the script,
 * which passes put into groups and these into kernels. A host may look on: at each plan after each
 * pass, at each run of a plan, at each kernel. What the callbacks are given, with all that it points
 * to, is valid until they return. In them only the nacre_plan_… functions may be used with the VM. */

/* A part of an array, as an operation sees it. */
typedef struct NacreView {
    int storage;                    /* the array's number in the plan; -1: of no node of the plan */
    const char *dtype;              /* "float64" */
    int64_t offset;                 /* bytes from the array's beginning */
    int ndim;                       /* how many dimensions */
    const int64_t *shape, *strides; /* ndim each; strides in bytes */
} NacreView;

/* An operand of an operation: a number, or a part of an array. */
typedef struct NacreOperand {
    int is_scalar;          /* a number */
    NacreView view;         /* of a scalar: its dtype only */
    int64_t integer;        /* of bool and integers; of uint64 the same bits */
    double real, imaginary; /* of the others */
} NacreOperand;

/* What an operation is told besides its operands. Which of it counts, and what it means, differs. */
typedef struct NacreAttributes {
    uint64_t axes;       /* a set: bit i is axis i */
    const char *loop;    /* the dtype that is computed in */
    const char *combine; /* the operation that reduces or accumulates, or NULL */
    int64_t step, points; /* of take and put, bytes from one to the next; rfft: points of a row; sort and
                             argsort: of a row, from place `step` on so many are asked for, 0: all */
    int axis, part, begun, right, upper, or_nan, scalar, quiet; /* axis: what an IndexError calls it; part: which
        of several results; begun: elements of the result take part; right: of a search, behind equal elements, of
        bits, the lowest first; upper: that triangle; or_nan: NaN for a singular matrix, and no error; scalar:
        written with NumPy scalars; quiet: float conditions are nobody's business */
} NacreAttributes;

/* What becomes of an operation's result. */
typedef enum NacreFate {
    NACRE_UNDECIDED = 0, /* no pass has said */
    NACRE_DROPPED = 1, /* nobody will know of it, so it is not computed */
    NACRE_STORED = 2,  /* computed, and written to memory */
    NACRE_INSIDE = 3   /* computed, but only handed on within its kernel */
} NacreFate;

/* An operation. */
typedef struct NacreNode {
    size_t struct_size;         /* set by the caller to sizeof(NacreNode) */
    const char *operation;      /* NumPy's name, as in nacre_operation_count */
    const char *file;           /* where the script wrote it, or NULL */
    int line;                   /* in that file; 0: not known */
    int operand_count;          /* at most 6 */
    NacreOperand operands[6];   /* the first operand_count of them */
    NacreView result;           /* what it writes */
    NacreAttributes attributes; /* what else it is told */
    NacreFate fate;             /* what becomes of the result */
    int group;                  /* of nodes that may be one kernel; -1: not decided, or dropped */
    int kernel;                 /* number in the order in which they run; -1 likewise */
    const char *why;            /* why it is not in the kernel of what was written before, or "" */
    int why_node;               /* the node that `why` is about, or -1 */
    const char *routine;        /* the library routine that does it together with others, or NULL */
    int why_plain;              /* it goes without saying: no data in common, a library routine */
} NacreNode;

/* An array of a plan. */
typedef struct NacreStorage {
    size_t struct_size;  /* set by the caller to sizeof(NacreStorage) */
    size_t bytes;        /* of all its elements */
    int is_input;        /* has elements before the plan is run */
    int is_seen;         /* by others than the plan's nodes, so it is a result */
    const char *name;    /* of a variable of the script that holds it or a part of it, or NULL */
    NacreView array;     /* what that variable holds; its dtype is NULL without name */
    const void *data;    /* the elements of an input, if they were asked for; else NULL */
} NacreStorage;

/* How a plan came to be run. */
typedef enum NacreUse {
    NACRE_PLAN_MADE = 0,   /* made for this run */
    NACRE_PLAN_REUSED = 1, /* an equal one was made before, perhaps of other lines */
    NACRE_PLAN_SINGLE = 2  /* there is nothing to be fused: its nodes run one by one, without passes */
} NacreUse;

/* A plan, as callbacks are told of it. */
typedef struct NacrePlan {
    size_t struct_size; /* sizeof(NacrePlan), of the library */
    uint64_t number;   /* from 0: plans of the same lines with the same shapes have the same one */
    uint64_t runs;     /* of it so far, with this one */
    NacreUse use;      /* where it comes from */
    const char *pass;  /* which has just been made; NULL: none yet */
    int is_last;       /* no pass comes after this one */
    int node_count, storage_count; /* how many nodes (nacre_plan_node) and arrays (nacre_plan_storage) */
} NacrePlan;

/* A kernel that has been run, as callbacks are told of it. */
typedef struct NacreKernel {
    size_t struct_size;       /* sizeof(NacreKernel), of the library */
    uint64_t plan;            /* its plan's number */
    NacreUse use;             /* where that plan came from */
    const char *library;      /* the operation that a library routine did; NULL: a loop */
    int is_copy;              /* of an operand, which its node overwrites meanwhile */
    int on_host;              /* because the backend could not */
    int node_count;           /* the nodes it was made of */
    const int *nodes;         /* their numbers in the plan */
    int read_count, write_count; /* how many reads and writes */
    const NacreView *reads, *writes; /* of arrays, not of what is handed on within the kernel */
    int64_t bytes_read, bytes_written; /* different bytes of each view; of a loop that ranks share, this rank's part of them */
    int64_t elements;         /* of the loop; of a library routine's result */
    double operations;        /* on numbers; for a library routine the textbook's figure, or 0 */
    double begin, seconds;    /* when it began, on a monotonic clock, and how long it took, in seconds; in bands
                                 its share of the time of all, by the work that they are */
    int64_t band_rows;        /* run so many rows at a time, together with those before or behind it; 0: by itself */
} NacreKernel;

/* An operation on few elements that was done where it was written, as callbacks are told of it: it is in no plan
 * and no kernel. */
typedef struct NacreDirect {
    size_t struct_size;    /* sizeof(NacreDirect), of the library */
    const char *operation; /* NumPy's name, as in nacre_operation_count */
    const char *file;      /* where the script wrote it, or NULL; valid during the callback */
    int line;              /* in that file; 0: not known */
    int64_t elements;      /* of each operand */
} NacreDirect;

/* Who looks on. Any callback may be NULL. What is run is the same as without; only is each kernel waited for. */
typedef struct NacreWatch {
    size_t struct_size; /* sizeof(NacreWatch) */
    void *ctx;          /* passed to the callbacks */
    /* A plan whose number is new: before the first pass, and after each. */
    void (*pass)(void *ctx, const NacrePlan *plan);
    /* A plan is going to be run. */
    void (*run)(void *ctx, const NacrePlan *plan);
    /* A kernel has been run. */
    void (*kernel)(void *ctx, const NacreKernel *kernel);
    int data;           /* fetch the elements of inputs for `pass` */
    /* A direct operation has been done. Time is not taken: there are many, each of a microsecond. */
    void (*direct)(void *ctx, const NacreDirect *direct);
    int all;            /* operations on few elements are recorded as all others are, so that plans show them */
} NacreWatch;

/* Begins to watch, with a copy of `watch`, or stops with NULL; within functions of the host too. NACRE_MISUSE while
 * something else runs or for a struct_size of another library; NACRE_ERROR (without an error text) when memory runs out. */
NACRE_API NacreStatus nacre_watch(NacreVm *vm, const NacreWatch *watch);

/* A node of the plan at hand: in `pass`, with what the passes decide, and in `run`; in `kernel`, one of
 * the kernel's. An array of it: in `pass` and `run`. Otherwise, and for numbers that are none,
 * NACRE_MISUSE. */
NACRE_API NacreStatus nacre_plan_node(const NacreVm *vm, int index, NacreNode *node);
NACRE_API NacreStatus nacre_plan_storage(NacreVm *vm, int index, NacreStorage *storage);

/* Name and a line of documentation of pass number `index` over plans, then of those over kernels; the
 * answer is whether there is one. */
NACRE_API int nacre_pass(int index, const char **name, const char **doc);

/* --- Passes -----------------------------------------------------------------------------------
 *
 * Before array work is run, passes of the host may look at its plan and change it: say that a node's result is
 * to be computed otherwise, wish how nodes are put into kernels and how these are run. The graph is right at
 * every moment, and so are its results but for what replacements compute. Operations on few elements that are
 * done where they are written (direct_operations) are in no plan.
 *
 * What a pass makes are values like any others: nacre_plan_value gives it arrays of the plan, everything that
 * works on arrays works on them, and is put off. It cannot look at elements that are pending (RuntimeError), and must not
 * write to the program's arrays (ValueError for those of the plan) or hand its values to the program. Values that are made
 * while it runs are None when it has ended; the host releases them as always. */

enum {
    NACRE_RESULT = -1 /* in place of an operand's number */
};

/* A pass. Text is copied. */
typedef struct NacrePass {
    size_t struct_size;            /* sizeof(NacrePass) */
    const char *name, *doc;        /* what it is called, and what it does; `doc` may be NULL */
    const char *const *operations; /* names, then NULL: it is asked of plans with one of them; NULL: of any plan */
    int each_time;                 /* it is asked whenever a plan is run. Otherwise, once it has left a plan as it is,
                                      it is not asked again of plans with the same operations, extents and numbers */
    /* Looks at the plan with the nacre_plan_… functions and changes it. Anything but NACRE_OK is an exception
     * (nacre_raise) where the program wanted the work's results; what was changed before stays changed. */
    NacreStatus (*run)(void *ctx, NacreVm *vm, const NacrePlan *plan);
    void *ctx;               /* the host's, passed to both functions */
    void (*drop)(void *ctx); /* or NULL: called once, when the pass is removed or the VM destroyed, or if adding fails */
} NacrePass;

/* Adds a pass behind those that there are. ValueError for a name that there is already, among the
 * engine's too, or without operations of that name. */
NACRE_API NacreStatus nacre_add_pass(NacreVm *vm, const NacrePass *pass);

/* KeyError if there is no pass of the host with that name. Not while one runs. */
NACRE_API NacreStatus nacre_remove_pass(NacreVm *vm, const char *name);

/* Whether one of the engine's passes (nacre_pass) is used from now on. ValueError for a pass that cannot be left
 * out, or is none. */
NACRE_API NacreStatus nacre_use_pass(NacreVm *vm, const char *name, int used);

/* Looks at a plan and changes it, as a pass does. */
typedef NacreStatus (*NacreEditFn)(void *ctx, NacreVm *vm, const NacrePlan *plan);

/* Does once, and now, what a pass does each time: of the work that leads to some arrays (with count 0, all
 * that is pending). Nothing is run. */
NACRE_API NacreStatus nacre_edit(NacreVm *vm, size_t count, NacreValue *const *arrays, NacreEditFn edit,
                                 void *ctx);

/* What a node reads as operand number `operand`, as a read-only array (of a scalar: a number), or what it
 * writes with NACRE_RESULT. This and the following functions are for passes and NacreEditFn. */
NACRE_API NacreStatus nacre_plan_value(NacreVm *vm, int node, int operand, NacreValue **out);

/* The node that writes just what another one reads as its operand; -1: that is an input of the plan, or
 * made in parts. */
NACRE_API int nacre_plan_writer(const NacreVm *vm, int node, int operand);

/* Gives a node's result the values of an array of the same shape and dtype. Nodes that the array waits for go
 * before the node; those that nobody needs any more are dropped, with their warnings. ValueError if they read
 * elements that the program has overwritten by then. */
NACRE_API NacreStatus nacre_plan_replace(NacreVm *vm, int node, NacreValue *with);

/* What a name in a pattern stands for. */
typedef struct NacreCapture {
    char name[28];     /* with a NUL behind it */
    int node, operand; /* where it is read */
} NacreCapture;

/* What is found by a pattern. */
typedef struct NacreMatch {
    size_t struct_size;            /* set by the caller to sizeof(NacreMatch) */
    int capture_count, node_count; /* how many there are of the following */
    NacreCapture captures[16];     /* by name, in the order of the pattern */
    int nodes[16];                 /* of the operations, the outermost first */
} NacreMatch;

/* Whether a node, with those that write its operands, is what a pattern says: an operation with its operands,
 * each of which is an operation, a number, `_` for anything, or a name. A name that is there twice stands for the
 * same elements, or the same number. Operands of commutative operations may stand in any order:
 * "add(multiply(a, b), a)", "power(x, 3)", "add.reduce(multiply(x, x))". *found tells. ValueError for what is no
 * pattern. */
NACRE_API NacreStatus nacre_plan_match(NacreVm *vm, int node, const char *pattern, NacreMatch *match,
                                       int *found);

/* What may be wished for a node; 0: nothing. It changes no result, but as far as the host and a device differ in last
 * bits. A kernel has the wishes of all its nodes. */
typedef struct NacreWish {
    size_t struct_size; /* sizeof(NacreWish) */
    int apart;    /* it begins a kernel, with nothing that was written before it */
    int together; /* it joins a kernel that it may be in, even where little is saved */
    int stored;   /* its result is stored even if nobody but its own kernel reads it */
    int own;      /* it is no part of a library routine that does several nodes */
    int plain;    /* its kernel's instructions stay as they are (without the pass "algebra") */
    int host;     /* its kernel is run on the host, whatever the backend */
    int whole;    /* its kernel is not run in bands of rows together with others */
    int code;     /* machine code for its kernel: 1: is waited for, if the tier has any; -1: is not used */
    int tile;     /* elements that are computed at a time, a power of 2 up to 1024 */
    int threads;  /* at most so many, up to 127. This, code and tile: of loops, not of library routines */
} NacreWish;

/* Wishes this for a node, together with what was wished before; a number takes the place of an earlier one.
 * ValueError for numbers that are none of these. */
NACRE_API NacreStatus nacre_plan_wish(NacreVm *vm, int node, const NacreWish *wish);

/* An operation of the op table. */
typedef struct NacreOperation {
    size_t struct_size; /* set by the caller to sizeof(NacreOperation) */
    const char *name, *doc; /* as of nacre_operation_count; what it does. Static */
    const char *kind;   /* "elementwise", "reduction", "scan", "creation", "library" */
    int operand_count;  /* 1 to 6 */
    int is_commutative; /* with the operands in another order it has the same result */
    int may_raise;      /* an exception, for some elements */
} NacreOperation;

/* Tells of operation number `index`, as nacre_operation_count numbers them; the answer is whether there is one. */
NACRE_API int nacre_operation(int index, NacreOperation *operation);

/* --- Operations of the host -------------------------------------------------------------------
 *
 * An operation on whole arrays that the host adds to those of the op table. Calls of it are put off like all array
 * work: nodes of plans, with results that passes and watchers see. It has a function for each backend that it can run
 * on; where it has none for the chosen one, that for "cpu" does it on the host. */

/* An array, as such a function sees it. Strides are in bytes. */
typedef struct NacreTensor {
    void *data;           /* the first element, in the host's memory; of a device: the handle of memory in which it lies
                             (opencl: cl_mem, cuda: CUdeviceptr) */
    int64_t offset;       /* bytes from there; 0 in the host's memory */
    const char *dtype;    /* "float64" */
    size_t itemsize;      /* bytes of an element */
    int ndim;             /* dimensions */
    const int64_t *shape, *strides; /* outermost first */
} NacreTensor;

/* A call of such a function. It writes all of the result, and nothing else. */
typedef struct NacreOperationCall {
    size_t struct_size;          /* sizeof(NacreOperationCall) of the library */
    const char *backend;         /* the one that it is for */
    int operand_count;           /* 1 to 6 */
    const NacreTensor *operands; /* may share memory with each other, not with the result */
    NacreTensor result;          /* nothing has been written there */
    int threads;                 /* that it may use, the calling one among them */
    void *queue;                 /* of a device (opencl: cl_command_queue, in order; cuda: CUstream): it enqueues what it does there,
                                    and need not wait */
} NacreOperationCall;

/* Does the operation: 0; anything else is a RuntimeError. It may be called by another thread than the VM's, and must
 * not use the VM. */
typedef int (*NacreOperationFn)(void *ctx, const NacreOperationCall *call);

/* A function for a backend. */
typedef struct NacreImplementation {
    const char *backend; /* "cpu", "opencl", "cuda", …; copied */
    NacreOperationFn run; /* does the operation there */
} NacreImplementation;

/* What a result will be. */
typedef struct NacreResult {
    const char *dtype;              /* static, or valid until the call has returned */
    int ndim;                       /* dimensions */
    int64_t shape[NACRE_NDIM_MAX];  /* extents, outermost first */
} NacreResult;

/* An operation to be added. Text is copied. */
typedef struct NacreHostOperation {
    size_t struct_size;     /* sizeof(NacreHostOperation) */
    const char *name, *doc; /* an identifier; `doc` may be NULL */
    int operand_count;      /* 1 to 6 */
    const char *dtype;      /* that operands are cast to, or NULL: they stay what they are */
    int is_contiguous;      /* operands lie in C order without gaps: others are copied */
    int may_fail;           /* its functions may: then it runs where it is called, so that handlers see it */
    /* Sets what the result will be; it is the first operand's dtype and shape before. Anything but NACRE_OK is an
     * exception (nacre_raise). NULL: it stays that. */
    NacreStatus (*infer)(void *ctx, NacreVm *vm, const NacreArray *operands, NacreResult *result);
    int implementation_count; /* 1 to 8, one of them for "cpu" */
    const NacreImplementation *implementations; /* its functions, as many as that; copied */
    void *ctx;                /* the host's, passed to all functions */
    void (*drop)(void *ctx);  /* or NULL: called once, when the VM has gone, or if adding fails */
} NacreHostOperation;

/* Adds an operation for as long as the VM lives; *out, if that is not NULL, is a function that calls it.
 * nacre_apply finds it by its name, before NumPy's. ValueError for a name that is none or that there is already, a number of
 * operands, or no function for "cpu"; TypeError for a dtype. */
NACRE_API NacreStatus nacre_add_operation(NacreVm *vm, const NacreHostOperation *operation, NacreValue **out);

/* --- Graphs without a script ------------------------------------------------------------------ */

/* Arrays and what is done with them, as a plan shows it. */
typedef struct NacreGraph {
    size_t struct_size;           /* sizeof(NacreGraph) */
    int storage_count, node_count; /* how many of each */
    const NacreStorage *storages; /* `bytes`; `data`, or NULL for zeros; `is_seen` for a result */
    const NacreNode *nodes;       /* in the order in which a script would do them: operation, operands,
                                     result, attributes */
} NacreGraph;

/* Called for each result with its elements, which are valid during the call. `each` must not use the VM. */
typedef void (*NacreResultFn)(void *ctx, int storage, const void *data, size_t bytes);

/* Runs a graph, of which everything is checked: ValueError for what is no operation on arrays of the VM.
 * Operations are elementwise ones, reductions, scans, arange, matmul, sort, argsort, argmax and argmin.
 * Errors are told as by nacre_run. */
NACRE_API NacreStatus nacre_run_graph(NacreVm *vm, const NacreGraph *graph, NacreResultFn each, void *ctx);

/* --- Compiling ahead of time ------------------------------------------------------------------ */

/* Texts that a build makes. */
typedef enum NacreBuilt {
    NACRE_BUILT_SOURCE = 0,   /* C, for a compiler that finds nacre/rt.h */
    NACRE_BUILT_HEADER = 1,   /* declarations of its functions */
    NACRE_BUILT_PKG_CONFIG = 2 /* for a file beside library and header */
} NacreBuilt;

/* Called once for each text, which is valid during the call. */
typedef void (*NacreBuiltFn)(void *ctx, NacreBuilt which, const char *text, size_t len);

/* What is to be built. */
typedef struct NacreBuild {
    size_t struct_size;  /* sizeof(NacreBuild) */
    const char *path;    /* the module's file */
    const char *module;  /* what it is called while it runs, and what begins the functions' names */
    const char *library; /* what links with it: "kernels" for libkernels.so */
    NacreBuiltFn each;   /* gets the texts */
    void *ctx;           /* passed to it */
} NacreBuild;

/* Runs a module, then writes its annotated functions as C. Nothing is given where one of them cannot be
 * compiled: NACRE_ERROR, of class "BuildError", with all places and reasons in the text. The VM should
 * be a new one, and its main module is the module. Otherwise as nacre_run_file. */
NACRE_API NacreStatus nacre_build(NacreVm *vm, const NacreBuild *build);

/* Flags for a compiler of such text, one after the other; NULL past the last one. */
NACRE_API const char *nacre_build_flag(int index);

/* --- Programs with their files ------------------------------------------------------------------ */

/* Called for each file; what it is given is valid during the call. */
typedef void (*NacreFileFn)(void *ctx, const char *path, const char *text, size_t len);

/* The files that a script is made of, without running it: itself first, then the modules beside it that
 * it, or one of them, imports anywhere. NACRE_ERROR as nacre_run_file, if one cannot be read or compiled. */
NACRE_API NacreStatus nacre_program_files(NacreVm *vm, const char *path, NacreFileFn each, void *ctx);

/* Gives the VM a file (the bytes are copied). Once it has any, nacre_run_file and imports read what they
 * have been given, by the same path, and nothing from the disk. */
NACRE_API NacreStatus nacre_add_file(NacreVm *vm, const char *path, const char *text, size_t len);

#ifdef __cplusplus
}
#endif

#endif
