/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Nacre Authors
 *
 * The public interface of Nacre: a virtual machine that runs scripts of the array language inside a host program.
 *
 * All state belongs to a NacreVm. A process may have several VMs, each used by one thread at a time. Only
 * nacre_interrupt, nacre_interrupted and nacre_forget_interrupt may be called from other threads and from signal
 * handlers. The library never prints, exits, aborts, installs signal handlers or keeps global state.
 *
 * A function of the host must return normally. It must not leave through the library by a C++ exception, by longjmp or
 * by ending its thread, since the library has no unwind tables.
 *
 * The header is plain C that LuaJIT's ffi.cdef can parse, and needs no macros to be used.
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

/* A virtual machine with all objects that its scripts have made. Opaque to the host. */
typedef struct NacreVm NacreVm;

/* Outcome of a call. nacre_error_text has the text of an error. */
typedef enum NacreStatus {
    NACRE_OK = 0,          /* the call succeeded */
    NACRE_ERROR = 1,       /* the script or the call failed with an exception */
    NACRE_EXIT = 2,        /* the script asked to end (SystemExit); nacre_exit_code has its exit status */
    NACRE_INTERRUPTED = 3, /* KeyboardInterrupt ended the script */
    NACRE_MISUSE = 4       /* an argument is NULL or invalid, or the call is not allowed now; the VM is unchanged */
} NacreStatus;

/* Allocates (ptr is NULL), resizes or frees (new_size is 0) a block of memory. `old_size` is the block's size before
 * the call. Blocks must be aligned to 16 bytes. Returns NULL on failure, which leaves the old block valid; freeing
 * cannot fail. */
typedef void *(*NacreAllocFn)(void *ctx, void *ptr, size_t old_size, size_t new_size);

/* Writes text of the script to standard output (stream 1) or standard error (stream 2). Returns 0 on success; any other
 * value becomes an OSError in the script. The bytes are valid during the call. A length of 0 asks the host to flush
 * what it has buffered. */
typedef int (*NacreWriteFn)(void *ctx, int stream, const char *bytes, size_t len);

/* Reads one line of input with its newline, for input() and sys.stdin. Sets *bytes, which must stay valid until the
 * next call, and returns the length: 0 at the end of input, -1 on failure. */
typedef long (*NacreReadFn)(void *ctx, const char **bytes);

/* Shows the repr of an expression statement's value at a prompt (nacre_run with NACRE_INTERACTIVE). Without this
 * callback the repr goes to standard output, with a newline. In both cases the built-in variable `_` holds the value
 * afterwards. */
typedef void (*NacreDisplayFn)(void *ctx, const char *text, size_t len);

/* A representation of a value in one MIME type: UTF-8 text, or bytes if `binary` is set. If the type ends in "json",
 * the text is JSON. */
typedef struct NacreForm {
    const char *mime; /* "text/html" */
    const void *data; /* the text or the bytes */
    size_t len;       /* length of `data` in bytes */
    int binary;       /* nonzero: `data` is bytes, not text */
} NacreForm;

/* What the host is to do with a publication. */
typedef enum NacrePublishKind {
    NACRE_PUBLISH_RESULT = 0,  /* show the value of the expression at the end of a prompt's input or a cell */
    NACRE_PUBLISH_DISPLAY = 1, /* show what the script displays */
    NACRE_PUBLISH_UPDATE = 2,  /* show it in place of the earlier publication with the same id */
    NACRE_PUBLISH_CLEAR = 3    /* clear what was shown so far; the publication has no forms */
} NacrePublishKind;

/* A value to be shown, in all representations that it has. The host picks the one that it shows best. */
typedef struct NacrePublication {
    size_t struct_size; /* set by the library to sizeof(NacrePublication) */
    NacrePublishKind kind;  /* what the host is to do */
    size_t count;           /* number of forms */
    const NacreForm *forms; /* `count` representations, each of a different MIME type */
    const char *metadata; /* a JSON object with metadata of the forms; NULL: none */
    const char *id;       /* the name by which the script may update what is shown; NULL: none */
    int wait;             /* for NACRE_PUBLISH_CLEAR: clear only when the next publication arrives */
} NacrePublication;

/* Shows a value (see NacreOptions.publish). The publication and all that it points to are valid during the call.
 * Returns 0 on success; any other value becomes an OSError in the script. */
typedef int (*NacrePublishFn)(void *ctx, const NacrePublication *publication);

/* Shows a prompt and reads the line that a person types after it, for input(), and with `hidden` for getpass.getpass():
 * the typed characters must not be echoed. Sets *bytes and returns the length as NacreReadFn does, or returns -2 if
 * nobody can be asked, or if hidden input is not possible. */
typedef long (*NacreAskFn)(void *ctx, const char *prompt, size_t len, int hidden, const char **bytes);

/* Receives the reason why the ranks cannot be joined, before nacre_new returns NULL. The text is valid during the
 * call. */
typedef void (*NacreRefusedFn)(void *ctx, const char *why);

/* Receives a warning: its category ("RuntimeWarning"), message, file and line. Without this callback the warning goes
 * to standard error, as Python prints it. */
typedef void (*NacreWarnFn)(void *ctx, const char *category, const char *message, const char *file,
                            int line);

/* Called before array work runs that would store results because the host holds them; `bytes` is the size of these
 * results. The host's program may no longer be able to reach some of them. A host with a garbage collector can use the
 * call to release values that are unreachable (nacre_release), or to defer those that its program will hardly read
 * (nacre_defer). It may call no other function. */
typedef void (*NacreReclaimFn)(void *ctx, size_t bytes);

/* How a script wants to access a file or folder. */
typedef enum NacreAccess {
    NACRE_READ = 0, /* read a file, query it, or list a folder */
    NACRE_WRITE = 1 /* create, change or remove; also to open for both reading and writing */
} NacreAccess;
/* Returns nonzero to allow the access; otherwise the script gets PermissionError. The path is as the script gave it,
 * and is valid during the call. */
typedef int (*NacreAccessFn)(void *ctx, NacreAccess access, const char *path);

/* Looks up a module that is not built in by its dotted name, before files are searched. If the host has the module, the
 * function returns nonzero and sets *text (UTF-8, which must stay valid until the next call) and *len; otherwise it
 * returns 0. */
typedef int (*NacreModuleFn)(void *ctx, const char *name, const char **text, size_t *len);

/* Progress of a call, for NacreProgressFn. */
typedef struct NacreProgress {
    size_t struct_size;         /* set by the library to sizeof(NacreProgress) */
    double seconds;             /* time since the host's call began */
    uint64_t nodes_executed;    /* array operations that have run since nacre_new */
    uint64_t kernels;           /* kernels that have run since nacre_new */
    uint64_t instructions;      /* instructions that the interpreter has run since nacre_new; 0 without
                                   count_instructions */
    size_t memory_in_use;       /* bytes that the VM holds */
} NacreProgress;

/* Receives the progress of the host's call, in the VM's thread, between instructions of the script and between parts of
 * array work (see NacreOptions.progress_interval). It must not use the VM. A return value other than 0 ends the call,
 * as nacre_interrupt does. `progress` is valid during the call. */
typedef int (*NacreProgressFn)(void *ctx, const NacreProgress *progress);

/* Dry runs find out what a program would do on many ranks, without its data (docs/ranks.md). The VM runs the program as
 * rank 0 of that many ranks would. It partitions arrays as in a real run, but neither computes nor sends their
 * elements: the elements are unknown. Small arrays with known operands are computed. A program that reads unknown
 * elements sees zeros, or older values, and the host receives a step of kind NACRE_DRY_ASSUMED. Output and other
 * effects of the program take place as in a real run, so the host decides through `write` and `access` what comes of
 * them. */

/* Kind of a step. */
typedef enum NacreDryKind {
    NACRE_DRY_KERNEL = 0,    /* array work: a loop or a library call */
    NACRE_DRY_EXCHANGE = 1,  /* messages between pairs of ranks */
    NACRE_DRY_GATHER = 2,    /* bytes of each rank go to all ranks */
    NACRE_DRY_BROADCAST = 3, /* bytes of one rank go to all ranks */
    NACRE_DRY_ASSUMED = 4    /* the program has read unknown elements */
} NacreDryKind;

/* An array that a kernel reads or writes. A kernel may be divided among ranks into parts; the figures are of the
 * largest part. */
typedef struct NacreDryStream {
    double bytes;    /* bytes that the part reads or writes */
    double distance; /* reuse distance: bytes that the part touches between the previous access to an element and this
                        one, in which time the element may have left a cache; 0: this is the first access */
    int whole;       /* every part touches all these bytes, as the array does not extend along the cut dimension */
} NacreDryStream;

enum {
    NACRE_DISTANCES = 3 /* number of distance classes of two ranks: on one socket, on one node, on different nodes */
};

/* A step of a dry run. */
typedef struct NacreDryStep {
    size_t struct_size;  /* set by the library to sizeof(NacreDryStep) */
    NacreDryKind kind;   /* determines which of the other fields are set */
    const char *file;    /* source file of the step (for a kernel, of its last operation), or NULL; valid during the
                            callback */
    int line;            /* line in that file; 0: not known */
    const char *what;    /* for a kernel, the name of its last operation; for NACRE_DRY_ASSUMED, a phrase that says what
                            was assumed; static */
    const char *why;     /* why every rank computes all of the kernel although operands are distributed; NULL if
                            that is not so. This field and those down to `streams` are set for kernels only */
    int is_library;      /* nonzero: a library call; 0: a loop */
    int is_shared;       /* nonzero: each rank computes a part */
    int dimension;       /* the dimension of the iteration space that is cut into parts; -1: the space is cut into boxes, over
                            a grid of ranks */
    int ndim;            /* number of dimensions of the kernel's iteration space */
    const int64_t *shape; /* extents of the iteration space */
    int64_t parts;       /* number of ranks that have a part */
    double share;        /* fraction of all work that is in the largest part */
    double operations;   /* arithmetic operations of the largest part, counted as in NacreKernel */
    int stream_count;    /* number of arrays that the largest part reads and writes */
    const NacreDryStream *streams; /* `stream_count` entries, one for each of these arrays */
    uint64_t bytes;      /* for a gather, bytes from each rank; for a broadcast, bytes from the one rank */
    uint64_t messages, message_bytes; /* messages of all ranks together, and the bytes in them. These fields and
                                         those below are set for exchanges only */
    uint64_t received;                /* bytes received by the rank that receives most */
    uint64_t rank_messages[NACRE_DISTANCES], rank_bytes[NACRE_DISTANCES]; /* for each distance class, messages and bytes
                                         sent or received by the rank that has most of them */
    uint64_t node_bytes;              /* bytes that leave or enter a node, for the node with most of them */
    double inner;        /* for a kernel, fraction of a part that is computed while the messages of the exchanges since
                            the kernel before travel; 0: it waits for them first */
} NacreDryStep;

/* Receives a step. `step` and all that it points to are valid during the call. The function must not use the VM. */
typedef void (*NacreDryStepFn)(void *ctx, const NacreDryStep *step);

/* Options of a dry run. */
typedef struct NacreDryRun {
    size_t struct_size; /* sizeof(NacreDryRun) */
    int ranks;          /* number of ranks: 1 to 1,048,576 */
    int socket_ranks, node_ranks; /* number of ranks on a socket, and on a node; ranks with consecutive numbers are
                                     together. 0: all of them */
    NacreDryStepFn step; /* receives each step; NULL: steps are not reported */
    void *ctx;          /* passed to `step` */
} NacreDryRun;

/* A group of ranks that are VMs of one process, for NacreOptions.ranks "loopback". */
typedef struct NacreGroup NacreGroup;

/* Options of a VM. Set each field that you do not use to zero, as `NacreOptions options = {sizeof options};` does. */
typedef struct NacreOptions {
    size_t struct_size;      /* sizeof(NacreOptions), which grows from version to version */
    NacreAllocFn alloc;      /* NULL: the C library's allocator */
    void *alloc_ctx;         /* passed to `alloc` */
    size_t memory_limit;     /* maximum number of bytes that the VM may hold; 0: no limit */
    int recursion_limit;     /* maximum depth of calls; 0: 1000 */
    int unpooled;            /* pass each allocation to `alloc` one by one, without pools (for fault injection) */
    NacreWriteFn write;      /* NULL: output is discarded */
    NacreReadFn read_line;   /* NULL: input is always at its end */
    NacreDisplayFn display;  /* NULL: reprs are written to standard output */
    NacreWarnFn warn;        /* NULL: warnings are written to standard error */
    void *ctx;               /* passed to the callbacks of this structure that have no context of their own */
    const char *backend;     /* name of the backend that runs array work; NULL: "cpu" */
    int threads;             /* number of threads for array work; 0: as many as there are cores */
    int stress;              /* for tests, slow: verify all reference counts at every statement, and keep caches and the
                                queue of pending nodes minimal */
    int count_instructions;  /* count instructions for nacre_instruction_count */
    int depth;               /* maximum number of array operations that may be pending, up to 256; 0: the default (128);
                                1: nothing is deferred. With a number given, operations on small arrays are recorded
                                too, which otherwise run at once. A loop runs the pending operations after an iteration
                                if there are three quarters of this number, but at least 32 */
    int reproducible;        /* results are equal to the last bit for any number of threads. What runs together, when
                                loops continue in machine code (after a fixed number of iterations, at which the VM
                                waits for the code) and the order of sets follow from the program and its input alone.
                                They do not depend on addresses, the speed of the compiler or the memory of the machine;
                                of memory only `memory_limit` counts */
    const char *tier;        /* when machine code is used, which the C compiler of the machine makes at run time
                                ($NACRE_CC, or cc). "interp" (default): never. "auto": for array work and for loops of
                                the program that cost enough; they run without it until it is ready. "kernel": for all
                                array work, which waits for it. "function": for all loops of the program, which wait for
                                it, but not for array work. Results are the same */
    NacreReclaimFn reclaim;  /* NULL: the host is not asked to release values */
    double time_limit;       /* maximum seconds that a call of the host may take, with everything that it runs; 0: no
                                limit. At the limit the call ends with TimeoutError, which scripts cannot catch; the VM
                                stays usable. A matrix product checks the limit every 10^10 operations (a second of one
                                core). FFTW's functions, and LAPACK's for complex matrices, are not interrupted.
                                Everything else stops within 50 ms. Array work that was pending runs when its results
                                are needed */
    NacreAccessFn access;    /* NULL: scripts may access what the process may; with `sandbox`, no files */
    NacreModuleFn module;    /* NULL: only built-in modules and files can be imported */
    int sandbox;             /* for untrusted scripts: no files except those that `access` allows, no environment
                                variables, no compiler (`tier` is "interp"), no plug-ins. Set memory_limit and
                                time_limit too */
    NacreProgressFn progress; /* NULL: progress is not reported */
    double progress_interval; /* minimum seconds between two calls of `progress`; 0: 0.1. There are no calls during one
                                 call of a library (BLIS, FFTW, LAPACK for complex matrices), one operation on a text or
                                 an int, or work of a device */
    void *communicator;      /* for `ranks` "mpi": an MPI_Comm * of a host that has initialised MPI; the communicator is
                                duplicated. NULL: MPI_COMM_WORLD, and the library initialises and finalises MPI unless
                                that has been done */
    void *stream;            /* for backend "cuda": a cudaStream_t (CUstream) of the device's primary context. All work
                                is enqueued in it, in order with the host's own work; the stream must outlive the VM.
                                NULL: the VM makes a stream of its own. With any other backend a stream makes nacre_new
                                fail */
    NacrePublishFn publish;  /* NULL: values are shown as text only, through `display` and `write` */
    NacreAskFn ask;          /* NULL: prompts are written with `write`, and lines are read with `read_line` */
    int keep_interrupts;     /* an interrupt that is requested while nothing runs stops the next run, unless
                                nacre_forget_interrupt is called before; 0: it is discarded */
    const char *strict;      /* what happens on a detour, which is work that does not go the way that these options ask
                                for (NacreDetour). NULL or "off": it is counted. "warn": a RuntimeWarning, once for each
                                place of the program. "error": a RuntimeError at that place */
    const char *ranks;       /* transport to the other ranks that run the same program (docs/ranks.md). NULL: the VM
                                runs alone. "mpi": ranks are processes that a launcher started. "loopback": ranks are
                                VMs of this process that share `group`, each in a thread of its own. nacre_new waits
                                until all ranks have joined. Every rank must have the same options and run the same
                                text */
    NacreGroup *group;       /* for "loopback": the group to join */
    int rank;                /* for "loopback": this VM's number in the group, from 0 */
    size_t split_least;      /* arrays with at least this number of bytes are distributed over the ranks; 0: 1 MiB */
    int check_ranks;         /* before each collective step, compare what each rank is about to do; a difference is a
                                RuntimeError that has both lines */
    NacreRefusedFn refused;  /* NULL: the reason is not reported */
    const NacreDryRun *dry_run; /* runs every program as a dry run; only without `ranks`. The structure is copied. NULL:
                                   programs are really run */
    size_t device_least;     /* a loop whose operands are on the host runs on the backend's device if it has at least
                                this number of elements. 0: the backend's default (16384 for cuda and opencl); 1: all
                                loops do. A loop with an operand that is only on the device always runs there */
    int unfused;             /* disable fusion: each array operation runs as a kernel of its own, with its result in
                                memory (for comparisons) */
} NacreOptions;

/* The version of this header; nacre_version returns the library's. */
enum {
    NACRE_VERSION_MAJOR = 0, /* increases with changes that require changes of the host */
    NACRE_VERSION_MINOR = 1, /* before 1.0, increases with such changes too */
    NACRE_VERSION_PATCH = 0  /* increases with corrections of errors */
};

/* Returns the library's version, "major.minor.patch"; static. */
NACRE_API const char *nacre_version(void);

/* Opens the libraries that read environment variables when they are opened. A host with threads of its own should call
 * this before it starts them: the library selects BLIS's kernels for the processor by an environment variable, which
 * cannot be set safely once there are other threads, and without it matrix products take up to three times as long. The
 * call takes some milliseconds, once. A host that does not call it leaves this to the first use. */
NACRE_API NacreStatus nacre_prepare(void);

/* Describes how the library was built and what it found at run time: version, compiler, libraries, CPU, and the BLIS
 * configuration with the reason for it. The text is written through `write` as stream 1. */
NACRE_API NacreStatus nacre_info(NacreWriteFn write, void *ctx);

/* An optional library, device or tool that the engine uses if it is present. Texts are NUL-terminated, and truncated if
 * they do not fit. */
typedef struct NacreFeature {
    size_t struct_size; /* set by the caller to sizeof(NacreFeature) */
    int is_there;       /* nonzero: it is present, and this process can use it */
    char name[32];      /* "BLIS" */
    char detail[512];   /* where it is and of what kind, or what is used instead */
} NacreFeature;

/* Describes feature number `index`, in the order of nacre_info's lines. Returns 1, or 0 if `index` is past the last
 * feature or struct_size is invalid. */
NACRE_API int nacre_feature(int index, NacreFeature *feature);

/* Returns whether a backend of this name is in the library or in a plug-in beside it. Its device may still be missing,
 * in which case nacre_new fails. */
NACRE_API int nacre_backend_known(const char *name);

/* Options of a group: a test bench for programs on many ranks. Set each field that you do not use to zero. */
typedef struct NacreGroupOptions {
    size_t struct_size; /* sizeof(NacreGroupOptions) */
    int ranks;          /* number of ranks, at least 1 */
    uint64_t seed;      /* seed of random delays and reordering of messages; 0: messages are neither delayed nor
                           reordered */
    double stall;       /* seconds after which a rank that the others wait for is considered lost; 0: 60 */
    int lost_rank;      /* a rank that disappears without notice, to test failures */
    uint64_t lost_step; /* the collective step, counted from 1, in which that rank disappears; 0: no rank does */
} NacreGroupOptions;

/* Creates a group of ranks for options.group. The caller frees it with nacre_group_free. Returns NULL when out of
 * memory or if options are invalid. May be called from any thread. A process's first group does what nacre_prepare
 * does, and so that all threads compute the same bits; a host that calls nacre_prepare, or uses a VM, before its first
 * group may find that the last bits of factors of complex matrices differ in one of its threads. */
NACRE_API NacreGroup *nacre_group_new(const NacreGroupOptions *options);
/* Frees a group. Its memory is kept until the last VM of the group is destroyed. NULL is allowed. */
NACRE_API void nacre_group_free(NacreGroup *group);

/* Creates a VM, which the caller destroys with nacre_free. `options` may be NULL. Returns NULL if memory runs out, an
 * option is invalid (unknown backend, struct_size of another library), the backend has no device, or the ranks cannot
 * be joined. */
NACRE_API NacreVm *nacre_new(const NacreOptions *options);

/* Destroys a VM and everything that it holds. NULL is allowed. Must not be called from a callback. Using the handle
 * afterwards is undefined behaviour; debug builds of the library treat it as a NULL, and nacre_error_text then says
 * why. The function does not wait for calls of LAPACK that were abandoned (nacre_interrupt). */
NACRE_API void nacre_free(NacreVm *vm);

/* Sets sys.argv: argv[0] is the script's name. Strings are copied. In these strings and in names of files, bytes that
 * are not valid UTF-8 become lone surrogates in the script's text, as in Python. */
NACRE_API NacreStatus nacre_set_argv(NacreVm *vm, int argc, const char *const *argv);

/* How a text is parsed. */
typedef enum NacreMode {
    NACRE_FILE = 0,        /* a module: any number of statements */
    NACRE_INTERACTIVE = 1, /* one statement that was typed at a prompt; the value of an expression is shown */
    NACRE_EXPRESSION = 2,  /* one expression; nacre_result_text returns the repr of its value */
    NACRE_CELL = 3         /* any number of statements; if the last one is an expression, its value is shown */
} NacreMode;

/* Runs text (UTF-8) in the main module, whose variables persist between calls. `filename` is the name of the text in
 * error messages. Returns an outcome as NacreStatus lists them. */
NACRE_API NacreStatus nacre_run(NacreVm *vm, const char *text, size_t len, const char *filename,
                                NacreMode mode);

/* Reads and runs a file. The script can import modules from the file's folder. Returns as nacre_run does. */
NACRE_API NacreStatus nacre_run_file(NacreVm *vm, const char *path);

/* After NACRE_ERROR or NACRE_INTERRUPTED: returns the traceback and message as Python prints them, with a newline at
 * the end; "" if there is none. The text is valid until the next call that can fail. */
NACRE_API const char *nacre_error_text(const NacreVm *vm);

/* Returns the length of nacre_error_text in bytes, without the terminating NUL. A message may contain NULs itself. */
NACRE_API size_t nacre_error_size(const NacreVm *vm);

/* After NACRE_ERROR: nacre_error_class returns the name of the exception's class ("ValueError"), and nacre_error_line
 * the line of the innermost frame of the traceback that is in the script; 0: not known. */
NACRE_API const char *nacre_error_class(const NacreVm *vm);
NACRE_API int nacre_error_line(const NacreVm *vm);

/* After NACRE_EXIT: returns the exit status that the script asked for. */
NACRE_API int nacre_exit_code(const NacreVm *vm);

/* After NACRE_OK in NACRE_EXPRESSION mode: returns the repr of the value; "" otherwise. */
NACRE_API const char *nacre_result_text(const NacreVm *vm);

/* Asks a running script to stop. The script raises KeyboardInterrupt at its next loop iteration, at the next check of a
 * long operation, or at the next tile of array work. May be called from any thread and from signal handlers.
 *
 * A long call of LAPACK cannot be stopped, so it is abandoned. It has a thread and memory of its own, does not use the
 * VM, and keeps a core busy until it ends, possibly seconds later. A process has at most two abandoned calls; a further
 * long call waits until one of them has ended. Once there has been one, the library stays loaded even after dlclose.
 * The memory of such a call comes from the C library; it counts towards memory_limit until the call has ended or the VM
 * is destroyed. A time_limit and NacreProgressFn abandon calls in the same way. */
NACRE_API void nacre_interrupt(NacreVm *vm);

/* With keep_interrupts: discards the interrupts that were requested so far. May be called from any thread, while
 * nothing runs. */
NACRE_API void nacre_forget_interrupt(NacreVm *vm);

/* Returns 1 if the running script is to stop but its exception has not been raised yet: from nacre_interrupt, or from
 * the end of time_limit, until the exception is raised or nacre_forget_interrupt is called. If a function of the host
 * runs, the exception may only be raised after that function has returned. Returns 0 otherwise. Callbacks that block,
 * such as `ask`, poll it, and return a failure if it is 1. May be called from any thread and from signal handlers. */
NACRE_API int nacre_interrupted(const NacreVm *vm);

/* Whether the text at a prompt can be run. */
typedef enum NacreCompleteness {
    NACRE_COMPLETE = 0,   /* one or several whole statements: run them */
    NACRE_INCOMPLETE = 1, /* the beginning of a statement: ask for another line */
    NACRE_INVALID = 2     /* a syntax error, whatever follows: run it to get the message */
} NacreCompleteness;

/* Decides for a prompt whether `text` is a whole statement, the beginning of one, or invalid. Lines are separated by
 * '\n', and the last line has none. A compound statement is complete once its last line is empty. */
NACRE_API NacreCompleteness nacre_is_complete(NacreVm *vm, const char *text, size_t len);

/* Receives one completion. Called once for each, in alphabetical order. */
typedef void (*NacreCompleteFn)(void *ctx, const char *completion);

/* Lists names that can complete the last word of `text`, which is a partial line: variables, built-ins and keywords;
 * attributes after a dot; modules after `import` and `from`; after `from m import` the names in m, if m has been
 * imported. Names that begin with '_' are listed only if the word begins with it. Sets *start to the offset in `text`
 * at which the completed word begins. A completion is valid during the call of `each`, which must not use the VM. No
 * code of the script runs. Returns NACRE_ERROR (without an error text) if memory runs out. */
NACRE_API NacreStatus nacre_complete(NacreVm *vm, const char *text, size_t len, size_t *start,
                                     NacreCompleteFn each, void *ctx);

/* Writes the documentation of a dotted name, its signature and docstring, through `write` as stream 1. Returns
 * NACRE_ERROR (without an error text) if there is no such name. No code of the script runs. May also be called within
 * functions of the host. */
NACRE_API NacreStatus nacre_inspect(NacreVm *vm, const char *name, size_t len, NacreWriteFn write,
                                    void *ctx);

/* Receives a docstring. `name` is "" for the module's, otherwise that of a function or class ("f", "C", "C.m"). `line`
 * is the line where the string literal begins. The `len` bytes of `text` are valid during the call. */
typedef void (*NacreDocFn)(void *ctx, const char *name, int line, const char *text, size_t len);

/* Lists the docstrings in a program's text without running it, in the order of the text: of the module, its functions,
 * its classes and their members, but not of definitions within functions. `each` must not use the VM. Returns
 * NACRE_ERROR (without an error text) if the text cannot be parsed or memory runs out. */
NACRE_API NacreStatus nacre_docstrings(NacreVm *vm, const char *text, size_t len, NacreDocFn each,
                                       void *ctx);

/* Between nacre_scratch_begin and nacre_scratch_end, nacre_run uses a temporary main module that begins with the
 * variables of the real one. Assignments and deletions of variables in that time are undone at the end. Objects are not
 * copied, and functions that were defined before go on using the real module's variables. Return NACRE_ERROR (without
 * an error text) if memory runs out, and NACRE_MISUSE for a second begin or an end without a begin. */
NACRE_API NacreStatus nacre_scratch_begin(NacreVm *vm);
NACRE_API NacreStatus nacre_scratch_end(NacreVm *vm);

/* Counters of a VM, from nacre_new on. */
typedef struct NacreStats {
    size_t struct_size;         /* set by the caller to sizeof(NacreStats) */
    size_t memory_in_use, memory_peak; /* bytes that the VM holds through `alloc` and that long calls of LAPACK hold:
                                          now, and at most so far */
    uint64_t allocations;       /* requests to the VM's allocator */
    uint64_t objects;           /* objects that the cycle collector tracks now */
    uint64_t nodes_recorded, nodes_executed, nodes_eliminated, nodes_pending; /* array operations that were
                                   recorded; of these, operations that have run, that were dropped as their results
                                   were never used, and that are still pending */
    uint64_t kernels, library_calls; /* loops that have run as kernels; calls of library routines, which are not in
                                        `kernels` */
    uint64_t bytes_host_to_device, bytes_device_to_host;   /* bytes of arrays that were copied in each direction */
    uint64_t copies_host_to_device, copies_device_to_host; /* number of such copies */
    uint64_t fallbacks;         /* kernels that ran on the host because the backend could not run them, and loops whose
                                   machine code brought arrays to the host; nacre_detour says where */
    uint64_t plans_made, plans_reused; /* plans, which are the nodes that run together: newly made, and reused */
    uint64_t system_allocations; /* calls of `alloc` (or of the C library's allocator) for memory that neither the pools
                                    of small blocks nor the cached memory of arrays could provide */
    uint64_t threads, threads_used; /* threads that may work on arrays; those that have, including the script's */
    uint64_t kernels_in_bands; /* of `kernels`: those that ran a band of rows at a time, together with the kernels after
                                  them */
    uint64_t kernels_compiled; /* kernel signatures for which machine code was made */
    uint64_t direct_operations; /* operations on small arrays that ran at once; they are neither nodes nor kernels */
    uint64_t loops_compiled;    /* loops compiled to machine code, counted once for each combination of types of their
                                   variables */
    uint64_t loops_entered;     /* number of times that machine code of a loop was entered */
    uint64_t loops_left;        /* number of times that machine code of a loop returned to the interpreter before the
                                   loop's end, for a case that it does not cover */
    uint64_t loop_rounds;       /* iterations that ran in machine code */
    uint64_t parallel_rounds;   /* iterations of loops that ran in parallel on several threads */
    uint64_t waits;               /* number of times that the VM waited for the backend's device */
    uint64_t plans_hash;        /* hash of all plans in order; equal for two runs that made the same decisions */
    uint64_t ranks, rank;       /* number of ranks that run the program, at least 1; this rank's number, from 0 */
    uint64_t messages_sent, messages_received;           /* messages from this rank to others, and from others to this
                                                            rank */
    uint64_t message_bytes_sent, message_bytes_received; /* bytes in these messages */
    uint64_t exchanges, gathers, broadcasts; /* collective steps: exchanges, which are messages between pairs of ranks;
                                                gathers, of bytes of each rank to all; broadcasts, of bytes of one rank
                                                to all */
    double seconds_with_ranks;  /* seconds that this rank spent in collective steps, including waiting for other
                                   ranks */
    uint64_t kernels_shared;    /* of `kernels` and `library_calls`: those of which each rank ran a part */
    uint64_t kernels_gathered;  /* kernels that every rank ran entirely although an operand was distributed; the operand
                                   was gathered */
    uint64_t arrays_gathered;   /* number of times that a distributed array was brought whole to all ranks: for
                                   kernels_gathered, because the script read elements, or for the host */
    uint64_t array_exchanges;   /* number of times that ranks fetched parts of an array that they did not hold */
    uint64_t array_bytes_received; /* bytes that this rank received in array_exchanges and for arrays_gathered */
    uint64_t array_memory_peak; /* for a dry run: upper bound of the bytes of arrays on the rank that holds most */
    uint64_t device_rounds;     /* iterations of loops that ran on a device, in kernels */
    uint64_t rank_rounds;       /* iterations that this rank ran of loops that were divided among ranks */
    uint64_t exchanges_overlapped; /* of `exchanges`: those during which this rank computed what needed none of their
                                      messages */
    uint64_t nodes_batched; /* array operations that a device ran together with the same operation of another iteration of
                               a loop; neither executed nor eliminated by themselves */
} NacreStats;
/* Copies the current counters to *stats. */
NACRE_API NacreStatus nacre_stats(const NacreVm *vm, NacreStats *stats);
/* Copies the counters of another rank of a dry run: what ranks send and receive is that rank's, the rest this VM's.
 * Returns NACRE_MISUSE if there is no such rank, or, outside of dry runs, if `rank` is not this VM's own. */
NACRE_API NacreStatus nacre_rank_stats(const NacreVm *vm, int rank, NacreStats *stats);

/* Returns how often kernels of array operation number `index` were launched, and sets *name to the operation's NumPy
 * name. Past the last operation, returns 0 and sets *name to NULL. */
NACRE_API uint64_t nacre_operation_count(const NacreVm *vm, int index, const char **name);

/* A loop that ran long enough to be considered for machine code (tier "auto" or "function"). */
typedef struct NacreLoop {
    size_t struct_size; /* set by the caller to sizeof(NacreLoop) */
    const char *file;   /* borrowed; valid until the VM runs something */
    uint32_t line;      /* line of the loop's head */
    uint32_t variants;  /* number of combinations of its variables' types that were considered */
    uint32_t compiled;  /* number of these that have machine code */
    uint64_t entered, left, rounds; /* as in NacreStats */
    uint32_t why_line;  /* line of the last statement that was left to the interpreter; 0: none was */
    const char *why;    /* what in that line was left to the interpreter; static */
    uint64_t parallel_rounds; /* iterations of the loop at line parallel_line that ran in parallel on threads */
    uint32_t parallel_line, threads; /* line of that loop, which is this loop or one inside it; the largest number of
                                        threads that it used */
    uint32_t serial_line; /* line of the loop that `serial` is about */
    const char *serial;   /* why that loop does not run in parallel; static, or NULL */
    uint64_t device_rounds; /* iterations of the loop at line device_line that ran on a device, in kernels */
    uint32_t device_line; /* line of that loop, which is this loop or one inside it */
    uint64_t rank_rounds; /* iterations that this rank ran of the loop at line rank_line, which was divided
                             among ranks */
    uint32_t rank_line; /* line of that loop, which is this loop or one inside it */
} NacreLoop;
/* Describes loop number `index`, in the order in which loops were noticed. Returns NACRE_MISUSE if there is none. */
NACRE_API NacreStatus nacre_loop(const NacreVm *vm, int index, NacreLoop *loop);

/* A detour: work that did not go the way that the VM's options ask for, at one place of the program, for one reason. */
typedef struct NacreDetour {
    size_t struct_size; /* set by the caller to sizeof(NacreDetour) */
    const char *kind;   /* "kernel": a kernel fell back to the host, as NacreStats.fallbacks counts. "transfer": an
                           array was copied from a device to the host for the library's own purposes, not because the
                           program reads or prints elements. "gathered": every rank ran all of an operation on a
                           distributed array, on operands that were gathered. "rows": operands on a grid of ranks were
                           redistributed into blocks of rows, because the operation does not support boxes.
                           "interpreted", counted only with NacreOptions.strict: a loop had no machine code, or left it,
                           although the tier is "function". Static */
    const char *file;   /* NULL: not known. Like `text`, borrowed and valid until the VM runs something */
    uint32_t line;      /* 0: not known */
    const char *text;   /* what happened, and why: "argsort runs on the host: opencl has no argsort" */
    uint64_t count;     /* number of times so far */
} NacreDetour;
/* Describes detour number `index`, in the order in which detours first occurred. Returns NACRE_MISUSE if there is
 * none. */
NACRE_API NacreStatus nacre_detour(const NacreVm *vm, int index, NacreDetour *detour);

/* Communication and partitioning that one line of the program caused, as this rank sees them. */
typedef struct NacreRankLine {
    size_t struct_size;   /* set by the caller to sizeof(NacreRankLine) */
    const char *file;     /* NULL: not in the program. Like `why`, borrowed and valid until the VM runs something */
    uint32_t line;        /* 0: not known */
    uint64_t exchanges, gathers, broadcasts; /* collective steps, as in NacreStats */
    uint64_t messages_sent, messages_received, message_bytes_sent, message_bytes_received; /* messages of these steps,
                             from and to this rank, and the bytes in them */
    double seconds;       /* duration of these steps, including waiting for other ranks */
    uint64_t results_cut; /* distributed results: each rank computed and keeps a part */
    uint64_t axes_cut;    /* axes along which these results are cut: bit i is axis i */
    uint64_t results_combined; /* results that were combined from partial results of the ranks */
    uint64_t results_whole;    /* results that every rank computed by itself, or that are small */
    uint64_t array_exchanges;  /* number of times that ranks fetched parts of an operand that they did not hold */
    uint64_t array_bytes_received; /* bytes that this rank received in array_exchanges; arrays_gathered is not
                                      included */
    uint64_t arrays_gathered;  /* number of times that an array was brought whole to all ranks */
    uint64_t array_bytes_gathered; /* bytes of these arrays */
    const char *why;      /* the reason why one was last brought whole to all ranks; NULL: none was */
} NacreRankLine;
/* Describes line number `index`, in the order in which lines first communicated. Returns NACRE_MISUSE if there is
 * none. */
NACRE_API NacreStatus nacre_rank_line(const NacreVm *vm, int index, NacreRankLine *line);

/* Counts what this rank has sent to another rank: parts of arrays, and this rank's contributions to gathers and
 * broadcasts, however the transport delivers them. Returns NACRE_MISUSE if there is no such rank. */
NACRE_API NacreStatus nacre_rank_sent(const NacreVm *vm, int rank, uint64_t *messages, uint64_t *bytes);

/* Receives the bytes that one rank passed to nacre_collect. It is called once for each rank, in ascending order. The
 * bytes are valid during the call. */
typedef void (*NacreCollectFn)(void *ctx, int rank, const void *bytes, size_t len);
/* Gathers bytes of each rank on all ranks, and passes them to `each`. Collective: every rank calls it at the same
 * point, while nothing runs. Returns NACRE_ERROR if a rank is lost or memory runs out; then nacre_error_text has the
 * reason, and `each` has not been called. */
NACRE_API NacreStatus nacre_collect(NacreVm *vm, const void *bytes, size_t len, NacreCollectFn each, void *ctx);

/* Write the source text of machine code, for people to read, through `write` as stream 1. nacre_loop_source writes that
 * of loop number `index` for one combination of its variables' types (0 … variants-1), with the program's lines as
 * comments; nacre_kernel_source writes that of kernel signature number `index`. Return NACRE_MISUSE if there is none,
 * and NACRE_ERROR (without an error text) if memory runs out or `write` fails. */
NACRE_API NacreStatus nacre_loop_source(NacreVm *vm, int index, int variant, NacreWriteFn write,
                                        void *ctx);
NACRE_API NacreStatus nacre_kernel_source(NacreVm *vm, int index, NacreWriteFn write, void *ctx);

/* With count_instructions: returns how often bytecode instruction number `index` ran, and sets *name to its name. Past
 * the last instruction, returns 0 and sets *name to NULL. */
NACRE_API uint64_t nacre_instruction_count(const NacreVm *vm, int index, const char **name);

/* --- Values ------------------------------------------------------------------------------------
 *
 * A NacreValue is a handle by which a host owns a reference to a value of a script: a number, a text, a list, an array,
 * a function. The value lives as long as there is a reference to it, from the script or from the host. A handle that a
 * function returns, or stores in *out, is owned by the caller, who releases it with nacre_release; nacre_free releases
 * all that are left. Handles that are passed as arguments are borrowed.
 *
 * On failure, functions that return a handle return NULL, and those that return a status leave *out unchanged;
 * nacre_error_text and related functions describe the error until the next call that can fail. The functions run code
 * of the script if a value's class defines the operation (a class with __getitem__). All of them may be called while
 * nothing runs and within functions of the host (nacre_function), but not in other callbacks. There they return
 * NACRE_MISUSE or NULL, as they do for NULL arguments, released handles, and handles of another VM. */

/* A handle on a value, belonging to one VM. */
typedef struct NacreValue NacreValue;

/* Kind of a value, as far as a host would handle the values differently. */
typedef enum NacreKind {
    NACRE_KIND_NONE = 0,     /* None */
    NACRE_KIND_BOOL = 1,     /* True or False */
    NACRE_KIND_INT = 2,      /* an int of any size */
    NACRE_KIND_FLOAT = 3,    /* a 64-bit float */
    NACRE_KIND_COMPLEX = 4,  /* two 64-bit floats */
    NACRE_KIND_SCALAR = 5,   /* a NumPy scalar; nacre_array_info returns its dtype */
    NACRE_KIND_TEXT = 6,     /* str */
    NACRE_KIND_BYTES = 7,    /* bytes */
    NACRE_KIND_TUPLE = 8,    /* immutable sequence */
    NACRE_KIND_LIST = 9,     /* mutable sequence */
    NACRE_KIND_DICT = 10,    /* mapping of keys to values */
    NACRE_KIND_SET = 11,     /* set or frozenset */
    NACRE_KIND_ARRAY = 12,   /* a NumPy array with any number of dimensions */
    NACRE_KIND_CALLABLE = 13, /* a function, a method, a class */
    NACRE_KIND_MODULE = 14,  /* a module, as import returns it */
    NACRE_KIND_OTHER = 15    /* anything else */
} NacreKind;

/* Returns another handle on the same value, which the caller owns too. */
NACRE_API NacreValue *nacre_hold(NacreVm *vm, NacreValue *value);

/* Releases a handle. NULL is allowed. This is the only function for values that may be called in all callbacks, except
 * those of the allocator. It must be called from the VM's thread. */
NACRE_API void nacre_release(NacreVm *vm, NacreValue *value);

/* Returns the number of handles of this VM that have not been released. */
NACRE_API size_t nacre_held(const NacreVm *vm);

/* Make a value from C data. The caller owns the handle. Text is UTF-8: ValueError (UnicodeDecodeError) if it is
 * invalid. Text and bytes are copied. A tuple, a list or a dict holds references of its own to its items; the keys of a
 * dict must be hashable (TypeError). */
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
/* Makes the slice start:stop:step for indexing; NULL for a bound that is left out. */
NACRE_API NacreValue *nacre_slice(NacreVm *vm, NacreValue *start, NacreValue *stop, NacreValue *step);
/* Makes the `...` of an index. */
NACRE_API NacreValue *nacre_ellipsis(NacreVm *vm);

/* Returns the kind of a value; NACRE_KIND_OTHER for NULL and released handles. */
NACRE_API NacreKind nacre_kind(const NacreVm *vm, const NacreValue *value);
/* Returns the name of the value's class ("ndarray", "float64"), valid while the value is held; "" if the handle is
 * invalid. */
NACRE_API const char *nacre_type_name(NacreVm *vm, const NacreValue *value);
/* Returns whether two handles refer to the same object (Python's `is`). */
NACRE_API int nacre_same(const NacreValue *a, const NacreValue *b);

/* Convert a value to C. TypeError if the value is of another kind; OverflowError for an int that does not fit into 64
 * bits. NumPy scalars and zero-dimensional arrays count as the numbers that they hold. nacre_as_truth is Python's
 * bool(). Text and bytes are borrowed, valid while the value is held; a NUL follows the last byte, which `len` does not
 * count. */
NACRE_API NacreStatus nacre_as_truth(NacreVm *vm, NacreValue *value, int *truth);
NACRE_API NacreStatus nacre_as_int(NacreVm *vm, NacreValue *value, int64_t *number);
NACRE_API NacreStatus nacre_as_float(NacreVm *vm, NacreValue *value, double *number);
NACRE_API NacreStatus nacre_as_complex(NacreVm *vm, NacreValue *value, double *real,
                                       double *imaginary);
NACRE_API NacreStatus nacre_as_text(NacreVm *vm, NacreValue *value, const char **text, size_t *len);
NACRE_API NacreStatus nacre_as_bytes(NacreVm *vm, NacreValue *value, const void **data, size_t *len);

/* Compute str(value) and repr(value), as values of kind NACRE_KIND_TEXT. */
NACRE_API NacreStatus nacre_str(NacreVm *vm, NacreValue *value, NacreValue **out);
NACRE_API NacreStatus nacre_repr(NacreVm *vm, NacreValue *value, NacreValue **out);

/* len(value), value[key], value[key] = item, and del value[key]. nacre_at is value[index]. Raise what Python raises
 * (KeyError, IndexError, TypeError). */
NACRE_API NacreStatus nacre_length(NacreVm *vm, NacreValue *value, int64_t *length);
NACRE_API NacreStatus nacre_item(NacreVm *vm, NacreValue *value, NacreValue *key, NacreValue **out);
NACRE_API NacreStatus nacre_at(NacreVm *vm, NacreValue *value, int64_t index, NacreValue **out);
NACRE_API NacreStatus nacre_set_item(NacreVm *vm, NacreValue *value, NacreValue *key,
                                     NacreValue *item);
NACRE_API NacreStatus nacre_delete_item(NacreVm *vm, NacreValue *value, NacreValue *key);

/* value.name and value.name = item. AttributeError if there is no such attribute. */
NACRE_API NacreStatus nacre_attribute(NacreVm *vm, NacreValue *value, const char *name,
                                      NacreValue **out);
NACRE_API NacreStatus nacre_set_attribute(NacreVm *vm, NacreValue *value, const char *name,
                                          NacreValue *item);

/* Applies the operator that is spelled `symbol`. Binary: "+ - * / // % ** @ & | ^ << >>", "== != < <= > >=", "in",
 * "not in"; in place: "+=" and its like, whose result is `a` if that could be changed in place. Unary, with b NULL:
 * "+ - ~ not". ValueError for any other symbol. */
NACRE_API NacreStatus nacre_operator(NacreVm *vm, const char *symbol, NacreValue *a, NacreValue *b,
                                     NacreValue **out);

/* iter(value), and the next value of an iterator. At the end of the iterator nacre_next returns NACRE_OK and sets *out
 * to NULL. */
NACRE_API NacreStatus nacre_iterate(NacreVm *vm, NacreValue *value, NacreValue **out);
NACRE_API NacreStatus nacre_next(NacreVm *vm, NacreValue *iterator, NacreValue **out);

/* nacre_global and nacre_set_global read and assign variables of the main module; NameError if there is no variable of
 * that name. nacre_import returns the module with a dotted name, and imports it if necessary; ModuleNotFoundError if it
 * is not found. */
NACRE_API NacreStatus nacre_global(NacreVm *vm, const char *name, NacreValue **out);
NACRE_API NacreStatus nacre_set_global(NacreVm *vm, const char *name, NacreValue *value);
NACRE_API NacreStatus nacre_import(NacreVm *vm, const char *name, NacreValue **out);

/* Compiles text into a function without parameters, which runs the text in the main module. Compiled with
 * NACRE_EXPRESSION, the function returns the expression's value. SyntaxError as from nacre_run. NACRE_INTERACTIVE is
 * not allowed. */
NACRE_API NacreStatus nacre_compile(NacreVm *vm, const char *text, size_t len, const char *filename,
                                    NacreMode mode, NacreValue **out);
/* Evaluates an expression in the main module. */
NACRE_API NacreStatus nacre_evaluate(NacreVm *vm, const char *text, size_t len, const char *filename,
                                     NacreValue **out);

/* Calls a function, a method or a class. `args` has `count` positional arguments; for nacre_call_with, they are
 * followed by one argument for each of the `name_count` keywords `names`. `out` may be NULL, which discards the result.
 * Unlike nacre_run, a call does not run the array operations that it leaves pending; they run when their elements are
 * needed. */
NACRE_API NacreStatus nacre_call(NacreVm *vm, NacreValue *callee, size_t count,
                                 NacreValue *const *args, NacreValue **out);
NACRE_API NacreStatus nacre_call_with(NacreVm *vm, NacreValue *callee, size_t count,
                                      NacreValue *const *args, size_t name_count,
                                      const char *const *names, NacreValue **out);
/* Calls value.name(*args). */
NACRE_API NacreStatus nacre_call_method(NacreVm *vm, NacreValue *value, const char *name, size_t count,
                                        NacreValue *const *args, NacreValue **out);

/* --- Functions of the host ----------------------------------------------------------------------
 *
 * Scripts call them like functions of the language. Within one, the host may use all functions for values, run scripts
 * and call functions of the script, up to a depth of 100 nested calls (RecursionError). */

/* Implements a function of the host. `args` has a value for each parameter of the signature: first the positional
 * parameters, then the keyword-only ones, then a tuple for *args and a dict for **keywords. The arguments are borrowed
 * during the call; nacre_hold keeps one for longer. *result is NULL at first. The function may store a handle in it,
 * whose ownership passes to the library; NULL returns None. A status other than NACRE_OK raises an exception: the one
 * passed to nacre_raise, otherwise that of the last call that failed within this function, otherwise RuntimeError. */
typedef NacreStatus (*NacreFn)(void *ctx, NacreVm *vm, size_t count, NacreValue *const *args,
                               NacreValue **result);

/* Called when the function can no longer be called, during a call on the VM or in nacre_free. It must not use the
 * VM. */
typedef void (*NacreDropFn)(void *ctx);

/* Describes a function of the host, for nacre_function. */
typedef struct NacreFunction {
    size_t struct_size;    /* sizeof(NacreFunction) */
    const char *name;      /* name in tracebacks, and value of `__name__` */
    const char *signature; /* parameters as in a def: "x, n=10, *rest, scale=1.0"; NULL: "*args" */
    const char *doc;       /* docstring, or NULL */
    NacreFn fn;            /* implementation */
    void *ctx;             /* passed to `fn` and `drop` */
    NacreDropFn drop;      /* NULL, or called once when the function is no longer needed, also if nacre_function
                              fails */
} NacreFunction;

/* Makes a function of the host into a value; nacre_set_global, or nacre_set_attribute of a module, makes it available
 * to scripts. Texts are copied. SyntaxError for an invalid signature; ValueError for a name that is no identifier, or
 * more than 64 parameters. */
NACRE_API NacreStatus nacre_function(NacreVm *vm, const NacreFunction *function, NacreValue **out);

/* Raises an exception: `class_name` is a built-in class of Python or NumPy ("ValueError"), the message is UTF-8.
 * Returns NACRE_ERROR, so that a function of the host can end with `return nacre_raise(…)`. Outside of such a function,
 * it sets the error that nacre_error_text reports. */
NACRE_API NacreStatus nacre_raise(NacreVm *vm, const char *class_name, const char *message);

/* nacre_error_value returns the exception of the last NACRE_ERROR as a value that the caller owns, or NULL if there is
 * none. nacre_raise_value raises such a value again. */
NACRE_API NacreValue *nacre_error_value(NacreVm *vm);
NACRE_API NacreStatus nacre_raise_value(NacreVm *vm, NacreValue *exception);
/* Returns str() of the exception: the message without class and traceback; "" if there is none. */
NACRE_API const char *nacre_error_message(const NacreVm *vm);

/* A frame of the traceback; number 0 is where the exception was raised. Texts are borrowed, valid until the next call
 * that can fail. */
typedef struct NacreFrame {
    size_t struct_size; /* sizeof(NacreFrame) */
    const char *file, *function; /* source file, and function: "<module>" outside of functions */
    int line, column;         /* start, counted from 1; for a SyntaxError, where parsing failed */
    int end_line, end_column; /* end, after the last character. For modules of the library only lines are known, and
                                 columns are 1 */
} NacreFrame;
/* Describes frame number `index` of the last call that failed. Returns NACRE_MISUSE if there is none. */
NACRE_API NacreStatus nacre_error_frame(const NacreVm *vm, int index, NacreFrame *frame);

/* --- Arrays --------------------------------------------------------------------------------------
 *
 * A dtype is given by its NumPy name ("float64", "bool", "int32", "complex128"). A shape lists extents, outermost
 * dimension first. Strides are in bytes, and may be negative or 0; NULL means C order. */

/* Limits of arrays. */
enum {
    NACRE_NDIM_MAX = 64 /* maximum number of dimensions */
};

/* Describes an array. */
typedef struct NacreArray {
    size_t struct_size; /* sizeof(NacreArray) */
    const char *dtype;  /* NumPy's name; static */
    char kind;          /* 'b' bool, 'i' signed integer, 'u' unsigned integer, 'f' float, 'c' complex */
    size_t itemsize;    /* bytes of an element */
    int ndim;           /* number of dimensions */
    const int64_t *shape, *strides; /* `ndim` entries each; borrowed, valid while the array is held and keeps its
                                       shape */
    int64_t size;       /* number of elements */
    int is_writable, is_contiguous; /* whether elements may be assigned; whether they are in C order without gaps */
} NacreArray;

/* Describes an array, or a NumPy scalar as an array with no dimensions. TypeError for any other value. Runs no array
 * work. */
NACRE_API NacreStatus nacre_array_info(NacreVm *vm, NacreValue *value, NacreArray *info);

/* np.asarray(value, dtype); `dtype` may be NULL. An array that has this dtype already is returned itself. */
NACRE_API NacreStatus nacre_as_array(NacreVm *vm, NacreValue *value, const char *dtype,
                                     NacreValue **out);

/* Makes a new array of zeros. */
NACRE_API NacreStatus nacre_array(NacreVm *vm, const char *dtype, int ndim, const int64_t *shape,
                                  NacreValue **out);

/* Memory of the host that becomes an array without a copy. It must stay valid until `release` is called, which happens
 * once: when nothing refers to it any more, or if nacre_wrap fails. What scripts write is in this memory after the host
 * has called nacre_read or nacre_write on the array, or after a run has ended. While a script may use the array, the
 * host must not write to the memory, except between calls and after nacre_write. Memory that is freed too early is
 * detected only in some cases: BufferError, with `stress`. */
typedef struct NacreMemory {
    size_t struct_size;     /* sizeof(NacreMemory) */
    void *data;             /* address of the first element, aligned for the dtype */
    const char *dtype;      /* "float64" */
    int ndim;               /* number of dimensions */
    const int64_t *shape, *strides; /* `ndim` entries each; `strides` NULL: C order */
    int is_readonly;        /* nonzero: scripts must not write to the array */
    void (*release)(void *ctx, void *data); /* frees the memory, or NULL; may be called from any thread; must not use
                                               the VM */
    void *ctx;              /* passed to `release` */
} NacreMemory;
/* Makes the array. ValueError if the memory cannot be an array: no address, shape or strides that exceed the address
 * space, or unaligned elements. TypeError for an unknown dtype. */
NACRE_API NacreStatus nacre_wrap(NacreVm *vm, const NacreMemory *memory, NacreValue **out);

/* Run the pending work that an array depends on, and return the address of its first element: nacre_read for reading,
 * nacre_write for reading and writing (ValueError if the array is read-only). Strides are those of nacre_array_info.
 * The address is valid until the next call that runs, calls or operates on anything in this VM. */
NACRE_API NacreStatus nacre_read(NacreVm *vm, NacreValue *array, const void **data);
NACRE_API NacreStatus nacre_write(NacreVm *vm, NacreValue *array, void **data);

/* Copy all elements, in C order without gaps, to or from `data`, which has `bytes` bytes. ValueError if that is not the
 * array's size times its itemsize. */
NACRE_API NacreStatus nacre_copy_to(NacreVm *vm, NacreValue *array, void *data, size_t bytes);
NACRE_API NacreStatus nacre_copy_from(NacreVm *vm, NacreValue *array, const void *data, size_t bytes);

/* Share arrays with other libraries without a copy, by DLPack (https://dmlc.github.io/dlpack). A tensor is a
 * DLManagedTensorVersioned, of version 1, if `versioned`, otherwise a DLManagedTensor.
 *
 * nacre_to_dlpack exports an array. The receiver of the tensor calls the tensor's deleter once, from any thread, at any
 * time, even after nacre_free; the memory of the VM is kept until the last deleter has been called. BufferError for a
 * read-only array without `versioned`. Writes of the other library become visible to scripts as described for
 * NacreMemory. An array over a mapped file or a bytes object is copied, and the tensor's flag says so.
 *
 * nacre_from_dlpack imports a tensor and takes ownership of it, also if it fails. The tensor's deleter is called as
 * NacreMemory.release is. BufferError for memory of a device that is not the VM's, or for a later version of DLPack;
 * RuntimeError for an unknown element type.
 *
 * An array whose elements were computed on a CUDA device is exported there, and stays there. Calls of the library are
 * ordered with the legacy default stream: a call sees the work that was enqueued in that stream before it, and work
 * that is enqueued there afterwards sees what scripts have written. The host must synchronise work in streams that do
 * not wait for the legacy default stream. For such an array nacre_write is a BufferError. */
NACRE_API NacreStatus nacre_to_dlpack(NacreVm *vm, NacreValue *array, int versioned, void **tensor);
NACRE_API NacreStatus nacre_from_dlpack(NacreVm *vm, void *tensor, int versioned, NacreValue **out);

/* Arguments of `__dlpack__` of the array API standard. Set each field that you do not use to zero. */
typedef struct NacreDlpack {
    size_t struct_size; /* sizeof(NacreDlpack) */
    int versioned;      /* as for nacre_to_dlpack; for max_version 1.0 and later */
    int on_host;        /* for dl_device (1, 0): an array on a device is copied to the host */
    int copy;           /* 1: always copy; -1: never (BufferError if a copy is necessary); 0: copy only if necessary */
    int64_t stream;     /* for a device: the stream in which the elements will be used, a cudaStream_t, 1 or 2; 0: as 1;
                           -1: do not synchronise */
} NacreDlpack;
/* Exports an array as nacre_to_dlpack does, with all arguments of `__dlpack__`. RuntimeError for an invalid stream. */
NACRE_API NacreStatus nacre_dlpack(NacreVm *vm, NacreValue *array, const NacreDlpack *asked, void **tensor);
/* Implements `__dlpack_device__`: runs the array's pending work, then sets *type and *number to DLPack's type and
 * number of the device from which the array would be exported. */
NACRE_API NacreStatus nacre_dlpack_device(NacreVm *vm, NacreValue *array, int *type, int *number);

/* Calls numpy.name(*operands): `name` is an operation of the op table (nacre_operation_count lists them) or any
 * function of numpy. Array operations are recorded and run later, as in a script. */
NACRE_API NacreStatus nacre_apply(NacreVm *vm, const char *name, size_t count,
                                  NacreValue *const *operands, NacreValue **out);

/* Runs the pending work of several arrays together, so that common operations are computed once and loops are fused.
 * Values that are not arrays are skipped. With count 0, runs everything that is pending. */
NACRE_API NacreStatus nacre_compute(NacreVm *vm, size_t count, NacreValue *const *arrays);

/* Marks an array as deferred (`defer` nonzero), or removes the mark (0). A host marks an array that it holds only
 * because it cannot tell whether the array will be used, as in a register of an interpreter. While a deferred array is
 * pending and its operations are elementwise, work that depends on it runs without storing the array. If the array's
 * elements are requested later, they are computed again; from then on the array is stored like others. Values that are
 * not arrays are skipped. */
NACRE_API NacreStatus nacre_defer(NacreVm *vm, NacreValue *array, int defer);

/* --- Watching array work ---------------------------------------------------------------------
 *
 * Array operations are recorded and run later. The operations that run together are a plan: nodes in the order of the
 * script, which passes put into groups, and the groups into kernels. A host can observe each plan after each pass, each
 * run of a plan, and each kernel. All that callbacks receive, with everything that it points to, is valid until they
 * return. In these callbacks only the nacre_plan_… functions may be called on the VM. */

/* A view: the part of an array that an operation reads or writes. */
typedef struct NacreView {
    int storage;                    /* number of the array in the plan (nacre_plan_storage); -1: not an array of the
                                       plan */
    const char *dtype;              /* "float64" */
    int64_t offset;                 /* bytes from the beginning of the array to the view's first element */
    int ndim;                       /* number of dimensions */
    const int64_t *shape, *strides; /* `ndim` entries each; strides in bytes */
} NacreView;

/* An operand of an operation: a scalar or a view. */
typedef struct NacreOperand {
    int is_scalar;          /* nonzero: a scalar; 0: a view */
    NacreView view;         /* for a scalar, only its dtype is set */
    int64_t integer;        /* value of a bool or integer scalar; for uint64 the same bits */
    double real, imaginary; /* value of a float or complex scalar */
} NacreOperand;

/* Parameters of an operation besides its operands. Which of them are used, and what for, depends on the operation. */
typedef struct NacreAttributes {
    uint64_t axes;       /* set of axes: bit i is axis i */
    const char *loop;    /* dtype in which the operation computes */
    const char *combine; /* binary operation of a reduction or scan, or NULL */
    int64_t step, points; /* take and put: `step` is the number of bytes between elements. rfft: `points` is the number
                             of points of a row. sort and argsort: `points` positions of a row, from `step` on, have to
                             be sorted; 0: all */
    int axis, part, begun, right, upper, or_nan, scalar, quiet; /* axis: the axis that an IndexError names. part: which
        of several results. begun: accumulate into the elements of the result. right: searches insert after equal
        elements; bits are packed and unpacked lowest first. upper: use the upper triangle. or_nan: a singular matrix
        gives NaN instead of an error. scalar: the script wrote it with NumPy scalars. quiet: float flags are ignored */
} NacreAttributes;

/* What happens to the result of an operation. */
typedef enum NacreFate {
    NACRE_UNDECIDED = 0, /* no pass has decided */
    NACRE_DROPPED = 1, /* not computed, as it is never used */
    NACRE_STORED = 2,  /* computed and written to memory */
    NACRE_INSIDE = 3   /* computed, but used only inside its kernel and not written to memory */
} NacreFate;

/* A node: one array operation of a plan. */
typedef struct NacreNode {
    size_t struct_size;         /* set by the caller to sizeof(NacreNode) */
    const char *operation;      /* NumPy's name, as in nacre_operation_count */
    const char *file;           /* source file, or NULL */
    int line;                   /* line in that file; 0: not known */
    int operand_count;          /* at most 6 */
    NacreOperand operands[6];   /* `operand_count` operands */
    NacreView result;           /* the view that the operation writes */
    NacreAttributes attributes; /* the operation's other parameters */
    NacreFate fate;             /* what happens to the result */
    int group;                  /* number of its group; the nodes of a group may become one kernel; -1: not decided, or
                                   dropped */
    int kernel;                 /* number of its kernel, in the order in which kernels run; -1: not decided, or
                                   dropped */
    const char *why;            /* why the node is not in the same kernel as an earlier one, or "" */
    int why_node;               /* the earlier node that `why` refers to, or -1 */
    const char *routine;        /* the library routine that computes it together with other nodes, or NULL */
    int why_plain;              /* nonzero: `why` is trivial, as there is no common data or the node is a library
                                   routine */
} NacreNode;

/* An array of a plan. */
typedef struct NacreStorage {
    size_t struct_size;  /* set by the caller to sizeof(NacreStorage) */
    size_t bytes;        /* size of all its elements */
    int is_input;        /* nonzero: it has elements before the plan runs */
    int is_seen;         /* nonzero: not only nodes of the plan use it, so it is a result */
    const char *name;    /* name of a variable of the script that holds the array or a part of it, or NULL */
    NacreView array;     /* the view that this variable holds; its dtype is NULL if `name` is NULL */
    const void *data;    /* elements of an input, if NacreWatch.data is set; otherwise NULL */
} NacreStorage;

/* Origin of the plan that a run uses. */
typedef enum NacreUse {
    NACRE_PLAN_MADE = 0,   /* newly made for this run */
    NACRE_PLAN_REUSED = 1, /* cached: an equal plan was made before, perhaps for other lines */
    NACRE_PLAN_SINGLE = 2  /* there is nothing to fuse: its nodes run one by one, and no passes run */
} NacreUse;

/* A plan, as callbacks receive it. */
typedef struct NacrePlan {
    size_t struct_size; /* set by the library to sizeof(NacrePlan) */
    uint64_t number;   /* counted from 0; plans of the same lines with the same shapes have the same number */
    uint64_t runs;     /* number of runs of the plan so far, including this one */
    NacreUse use;      /* origin of the plan */
    const char *pass;  /* the pass that has just run; NULL: none has */
    int is_last;       /* nonzero: this is the last pass */
    int node_count, storage_count; /* number of nodes (nacre_plan_node) and of arrays (nacre_plan_storage) */
} NacrePlan;

/* A kernel that has run, as callbacks receive it. */
typedef struct NacreKernel {
    size_t struct_size;       /* set by the library to sizeof(NacreKernel) */
    uint64_t plan;            /* number of its plan */
    NacreUse use;             /* origin of that plan */
    const char *library;      /* the operation that a library routine computed; NULL: the kernel is a loop */
    int is_copy;              /* nonzero: it copies an operand that its node overwrites while reading */
    int on_host;              /* nonzero: it ran on the host because the backend could not run it */
    int node_count;           /* number of nodes that were fused into it */
    const int *nodes;         /* numbers of these nodes in the plan */
    int read_count, write_count; /* number of entries of `reads` and `writes` */
    const NacreView *reads, *writes; /* views of arrays; values that are passed on inside the kernel are not listed */
    int64_t bytes_read, bytes_written; /* distinct bytes of these views; if the loop is divided among ranks, only
                                          those of this rank's part */
    int64_t elements;         /* iterations of the loop; for a library routine, elements of the result */
    double operations;        /* arithmetic operations; for a library routine the textbook's count, or 0 */
    double begin, seconds;    /* start on a monotonic clock, and duration, in seconds. In row blocking, the kernel's
                                 share of the time of all kernels in the chain, by its amount of work */
    int64_t band_rows;        /* rows per band, if the kernel ran in bands of rows together with its neighbours; 0: it
                                 ran alone */
} NacreKernel;

/* An operation on a small array that ran at once, as callbacks receive it. It belongs to no plan and no kernel. */
typedef struct NacreDirect {
    size_t struct_size;    /* set by the library to sizeof(NacreDirect) */
    const char *operation; /* NumPy's name, as in nacre_operation_count */
    const char *file;      /* source file, or NULL; valid during the callback */
    int line;              /* line in that file; 0: not known */
    int64_t elements;      /* number of elements of each operand */
} NacreDirect;

/* Observer of array work. Each callback may be NULL. The same work runs as without an observer, except that the VM
 * waits for each kernel to finish. */
typedef struct NacreWatch {
    size_t struct_size; /* sizeof(NacreWatch) */
    void *ctx;          /* passed to the callbacks */
    /* Receives a plan with a new number: before the first pass, and after each pass. */
    void (*pass)(void *ctx, const NacrePlan *plan);
    /* Receives a plan that is about to run. */
    void (*run)(void *ctx, const NacrePlan *plan);
    /* Receives a kernel that has run. */
    void (*kernel)(void *ctx, const NacreKernel *kernel);
    int data;           /* nonzero: fetch the elements of inputs for `pass` */
    /* Receives an operation that ran at once. It is not timed, as there are many, each of about a microsecond. */
    void (*direct)(void *ctx, const NacreDirect *direct);
    int all;            /* nonzero: record operations on small arrays too, so that plans show them */
} NacreWatch;

/* Sets the VM's observer to a copy of `watch`; NULL removes it. May be called within functions of the host. Returns
 * NACRE_MISUSE while anything else runs and for a struct_size of another library, and NACRE_ERROR (without an error
 * text) if memory runs out. */
NACRE_API NacreStatus nacre_watch(NacreVm *vm, const NacreWatch *watch);

/* nacre_plan_node describes a node of the current plan: in `pass` including the decisions of the passes, in `run`
 * without them; in `kernel` only for the kernel's nodes. nacre_plan_storage describes an array of the plan in `pass`
 * and `run`. Both return NACRE_MISUSE otherwise, and for numbers that are out of range. They are available in passes of
 * the host too. */
NACRE_API NacreStatus nacre_plan_node(const NacreVm *vm, int index, NacreNode *node);
NACRE_API NacreStatus nacre_plan_storage(NacreVm *vm, int index, NacreStorage *storage);

/* Sets *name and *doc (one line) of pass number `index`, counting passes over plans first and then passes over kernels.
 * Returns whether there is such a pass. Both texts are static. */
NACRE_API int nacre_pass(int index, const char **name, const char **doc);

/* --- Passes -----------------------------------------------------------------------------------
 *
 * Before array work runs, passes of the host may inspect its plan and change it: replace what computes a node's result,
 * or give hints how nodes are grouped into kernels and how kernels run. The graph stays valid at every moment, and
 * results change only by what replacements compute. Operations on small arrays that run at once (direct_operations) are
 * in no plan.
 *
 * A pass works with ordinary values. nacre_plan_value returns arrays of the plan, and all functions for arrays accept
 * them; operations on them are recorded, not run. A pass cannot read elements that are pending (RuntimeError). It must
 * not write to the program's arrays (ValueError for those of the plan) or pass its values to the program. When a pass
 * ends, the values that it has made become None; the host still releases their handles. */

enum {
    NACRE_RESULT = -1 /* given instead of an operand number: the node's result */
};

/* A pass of the host. Text is copied. */
typedef struct NacrePass {
    size_t struct_size;            /* sizeof(NacrePass) */
    const char *name, *doc;        /* its name, and what it does; `doc` may be NULL */
    const char *const *operations; /* names of operations, ended by NULL: the pass runs only on plans that have one of
                                      them; NULL: on every plan */
    int each_time;                 /* nonzero: the pass runs whenever a plan runs. 0: once it has left a plan unchanged,
                                      it does not run again on plans with the same operations, extents and numbers */
    /* Inspects the plan with the nacre_plan_… functions and changes it. A status other than NACRE_OK raises an
     * exception (nacre_raise) where the program needed the results; earlier changes of the plan are kept. */
    NacreStatus (*run)(void *ctx, NacreVm *vm, const NacrePlan *plan);
    void *ctx;               /* passed to both functions */
    void (*drop)(void *ctx); /* NULL, or called once: when the pass is removed, the VM is destroyed, or nacre_add_pass
                                fails */
} NacrePass;

/* Adds a pass, which runs after those that were added before. ValueError if there is a pass of that name, of the host
 * or of the engine, or an unknown name in `operations`. Not allowed in a pass. */
NACRE_API NacreStatus nacre_add_pass(NacreVm *vm, const NacrePass *pass);

/* Removes a pass of the host. KeyError if there is none of that name. Not allowed in a pass. */
NACRE_API NacreStatus nacre_remove_pass(NacreVm *vm, const char *name);

/* Enables or disables a pass of the engine (nacre_pass) from now on. ValueError for a pass that cannot be disabled, or
 * an unknown name. */
NACRE_API NacreStatus nacre_use_pass(NacreVm *vm, const char *name, int used);

/* Inspects a plan and changes it, as NacrePass.run does. */
typedef NacreStatus (*NacreEditFn)(void *ctx, NacreVm *vm, const NacrePlan *plan);

/* Edits now, and once, the pending work that `arrays` depend on (with count 0, all pending work), as a pass would each
 * time. Runs nothing. */
NACRE_API NacreStatus nacre_edit(NacreVm *vm, size_t count, NacreValue *const *arrays, NacreEditFn edit,
                                 void *ctx);

/* Returns in *out what a node reads as operand number `operand`, or with NACRE_RESULT what it writes, as a read-only
 * array (for a scalar operand, a number). This function and those below are for passes and NacreEditFn; elsewhere they
 * return NACRE_MISUSE, and nacre_plan_writer -1. */
NACRE_API NacreStatus nacre_plan_value(NacreVm *vm, int node, int operand, NacreValue **out);

/* Returns the node that writes exactly the view that another node reads as its operand. Returns -1 if the operand is a
 * scalar or an input of the plan, or if several nodes write it. */
NACRE_API int nacre_plan_writer(const NacreVm *vm, int node, int operand);

/* Replaces a node's result by an array of the same shape and dtype (ValueError otherwise). Nodes that the array depends
 * on are inserted before the node; nodes that are then unused are dropped, along with their warnings. ValueError if the
 * inserted nodes read elements that the program has overwritten before that point. */
NACRE_API NacreStatus nacre_plan_replace(NacreVm *vm, int node, NacreValue *with);

/* What a name in a pattern matched. */
typedef struct NacreCapture {
    char name[28];     /* the name, NUL-terminated */
    int node, operand; /* what it matched: this operand of this node */
} NacreCapture;

/* Result of matching a pattern. */
typedef struct NacreMatch {
    size_t struct_size;            /* set by the caller to sizeof(NacreMatch) */
    int capture_count, node_count; /* number of entries of `captures` and `nodes` */
    NacreCapture captures[16];     /* one for each name, in the order of the pattern */
    int nodes[16];                 /* the nodes that the pattern's operations matched, the outermost first */
} NacreMatch;

/* Matches a pattern against a node and the nodes that write its operands, and sets *found to the outcome. A pattern is
 * an operation with its operands, each of which is an operation, a number, `_` for anything, or a name. A name that
 * occurs twice must match the same elements or the same number. The operands of commutative operations match in any
 * order. Examples: "add(multiply(a, b), a)", "power(x, 3)", "add.reduce(multiply(x, x))". ValueError for an invalid
 * pattern. */
NACRE_API NacreStatus nacre_plan_match(NacreVm *vm, int node, const char *pattern, NacreMatch *match,
                                       int *found);

/* Hints for a node; 0 means no hint. Hints change no result, except in the last bits where the host and a device
 * differ. A kernel combines the hints of all its nodes. */
typedef struct NacreHint {
    size_t struct_size; /* sizeof(NacreHint) */
    int apart;    /* start a new kernel, without earlier nodes */
    int together; /* join a kernel if possible, even if little is saved */
    int stored;   /* store the result, even if only its own kernel reads it */
    int own;      /* do not make it part of a library routine that computes several nodes */
    int plain;    /* do not simplify its kernel's instructions (skip the pass "algebra") */
    int host;     /* run its kernel on the host, whatever the backend */
    int whole;    /* do not run its kernel in bands of rows together with others */
    int code;     /* machine code for its kernel. 1: wait for it, if the tier uses machine code; -1: do not use it */
    int tile;     /* elements computed at a time: a power of 2, up to 1024 */
    int threads;  /* maximum number of threads, up to 127. Like `code` and `tile`, for loops, not for library
                     routines */
} NacreHint;

/* Adds hints to those that a node already has. A value of `code`, `tile` or `threads` other than 0 replaces the earlier
 * one. ValueError if one of these three is out of range. */
NACRE_API NacreStatus nacre_plan_hint(NacreVm *vm, int node, const NacreHint *hints);

/* An operation of the op table. */
typedef struct NacreOperation {
    size_t struct_size; /* set by the caller to sizeof(NacreOperation) */
    const char *name, *doc; /* name as in nacre_operation_count; what it does. Static */
    const char *kind;   /* one of "elementwise", "reduction", "scan", "creation", "library" */
    int operand_count;  /* 1 to 6 */
    int is_commutative; /* nonzero: the order of its operands does not change the result */
    int may_raise;      /* nonzero: some elements make it raise an exception */
} NacreOperation;

/* Describes operation number `index`, counted as in nacre_operation_count. Returns whether there is such an
 * operation. */
NACRE_API int nacre_operation(int index, NacreOperation *operation);

/* --- Operations of the host -------------------------------------------------------------------
 *
 * A host can add operations on whole arrays to those of the op table. Calls of such an operation are recorded like all
 * array work: they are nodes of plans, and passes and observers see them. The host provides an implementation for each
 * backend that the operation can run on. If there is none for the VM's backend, the implementation for "cpu" runs on
 * the host. */

/* An array, as an implementation receives it. Strides are in bytes. */
typedef struct NacreTensor {
    void *data;           /* address of the first element in the host's memory; on a device, the handle of the memory
                             that holds the array (opencl: cl_mem, cuda: CUdeviceptr) */
    int64_t offset;       /* bytes from `data` to the first element; 0 in the host's memory */
    const char *dtype;    /* "float64" */
    size_t itemsize;      /* bytes of an element */
    int ndim;             /* number of dimensions */
    const int64_t *shape, *strides; /* `ndim` entries each, outermost dimension first */
} NacreTensor;

/* Arguments of an implementation. It must write every element of the result, and nothing else. */
typedef struct NacreOperationCall {
    size_t struct_size;          /* set by the library to sizeof(NacreOperationCall) */
    const char *backend;         /* the backend that the implementation was registered for */
    int operand_count;           /* 1 to 6 */
    const NacreTensor *operands; /* may overlap each other, but not the result */
    NacreTensor result;          /* uninitialised */
    int threads;                 /* number of threads that it may use, including the calling one */
    void *queue;                 /* on a device, the queue in which the implementation enqueues its work (opencl: an
                                    in-order cl_command_queue, cuda: CUstream); it need not wait for the work. NULL on
                                    the host */
} NacreOperationCall;

/* Computes the operation. Returns 0 on success; any other value becomes a RuntimeError. It may be called from a thread
 * other than the VM's, and must not use the VM. */
typedef int (*NacreOperationFn)(void *ctx, const NacreOperationCall *call);

/* An implementation of an operation for one backend. */
typedef struct NacreImplementation {
    const char *backend; /* "cpu", "opencl", "cuda", …; copied */
    NacreOperationFn run; /* computes the operation there */
} NacreImplementation;

/* Type and shape of a result. */
typedef struct NacreResult {
    const char *dtype;              /* static, or valid until the call has returned */
    int ndim;                       /* number of dimensions */
    int64_t shape[NACRE_NDIM_MAX];  /* extents, outermost dimension first */
} NacreResult;

/* Describes an operation to be added. Text is copied. */
typedef struct NacreHostOperation {
    size_t struct_size;     /* sizeof(NacreHostOperation) */
    const char *name, *doc; /* an identifier, and what the operation does; `doc` may be NULL */
    int operand_count;      /* 1 to 6 */
    const char *dtype;      /* dtype to which operands are cast; NULL: they are not cast */
    int is_contiguous;      /* nonzero: operands that are not in C order without gaps are copied into such */
    int may_fail;           /* nonzero: implementations may fail. Then the operation runs when it is called, so that the
                               script's exception handlers apply */
    /* Sets the result's dtype and shape, which are the first operand's on entry. A status other than NACRE_OK raises an
     * exception (nacre_raise). NULL: the dtype and shape are the first operand's. */
    NacreStatus (*infer)(void *ctx, NacreVm *vm, const NacreArray *operands, NacreResult *result);
    int implementation_count; /* 1 to 8; one of them must be for "cpu" */
    const NacreImplementation *implementations; /* `implementation_count` entries; copied */
    void *ctx;                /* passed to all functions */
    void (*drop)(void *ctx);  /* NULL, or called once: when the VM has been destroyed, or if nacre_add_operation
                                 fails */
} NacreHostOperation;

/* Adds an operation for the lifetime of the VM. If `out` is not NULL, *out receives a function that calls the
 * operation. nacre_apply finds the operation by its name, before NumPy's functions. ValueError for a name that is no
 * identifier or is taken, an invalid number of operands, or no implementation for "cpu"; TypeError for an unknown
 * dtype. */
NACRE_API NacreStatus nacre_add_operation(NacreVm *vm, const NacreHostOperation *operation, NacreValue **out);

/* --- Graphs without a script ------------------------------------------------------------------ */

/* Arrays, and operations on them. */
typedef struct NacreGraph {
    size_t struct_size;           /* sizeof(NacreGraph) */
    int storage_count, node_count; /* number of arrays, and of operations */
    const NacreStorage *storages; /* uses `bytes`; `data`, or NULL for zeros; and `is_seen` for a result */
    const NacreNode *nodes;       /* in the order in which a script would run them; uses operation, operands, result and
                                     attributes */
} NacreGraph;

/* Receives the elements of one result, which are valid during the call. The function must not use the VM. */
typedef void (*NacreResultFn)(void *ctx, int storage, const void *data, size_t bytes);

/* Runs a graph, and calls `each` for each result. The graph is checked completely: ValueError for anything that is not
 * a valid operation on arrays of the graph. Elementwise operations, reductions, scans, arange, matmul, sort, argsort,
 * argmax and argmin are supported. Errors are reported as by nacre_run. */
NACRE_API NacreStatus nacre_run_graph(NacreVm *vm, const NacreGraph *graph, NacreResultFn each, void *ctx);

/* --- Compiling ahead of time ------------------------------------------------------------------ */

/* Texts that nacre_build generates. */
typedef enum NacreBuilt {
    NACRE_BUILT_SOURCE = 0,   /* C source, for a compiler that finds nacre/rt.h */
    NACRE_BUILT_HEADER = 1,   /* a C header that declares the functions */
    NACRE_BUILT_PKG_CONFIG = 2 /* contents of a pkg-config file for the library */
} NacreBuilt;

/* Receives a text, which is valid during the call. Called once for each kind. */
typedef void (*NacreBuiltFn)(void *ctx, NacreBuilt which, const char *text, size_t len);

/* Describes what to build. */
typedef struct NacreBuild {
    size_t struct_size;  /* sizeof(NacreBuild) */
    const char *path;    /* file of the module */
    const char *module;  /* name of the module while it runs, and prefix of the functions' names */
    const char *library; /* name of the library for the linker: "kernels" for libkernels.so */
    NacreBuiltFn each;   /* receives the texts */
    void *ctx;           /* passed to `each` */
} NacreBuild;

/* Runs a module, and generates C from its annotated functions. If one of them cannot be compiled, `each` is not called:
 * NACRE_ERROR with class "BuildError", and nacre_error_text lists all places and reasons. The VM should be a new one,
 * as the module becomes its main module. Otherwise like nacre_run_file. */
NACRE_API NacreStatus nacre_build(NacreVm *vm, const NacreBuild *build);

/* Returns compiler flag number `index` for generated source, or NULL past the last one. */
NACRE_API const char *nacre_build_flag(int index);

/* --- Programs with their files ------------------------------------------------------------------ */

/* Receives a file of a program. The path and text are valid during the call. */
typedef void (*NacreFileFn)(void *ctx, const char *path, const char *text, size_t len);

/* Lists the files of a program without running it: the script, then the modules beside it that the script or one of
 * these modules imports at any place. Returns NACRE_ERROR as nacre_run_file does, if a file cannot be read or
 * compiled. */
NACRE_API NacreStatus nacre_program_files(NacreVm *vm, const char *path, NacreFileFn each, void *ctx);

/* Adds a file to the VM; its bytes are copied. Once a VM has such files, nacre_run_file and imports find only these, by
 * the same path, and read nothing from the disk. */
NACRE_API NacreStatus nacre_add_file(NacreVm *vm, const char *path, const char *text, size_t len);

#ifdef __cplusplus
}
#endif

#endif
