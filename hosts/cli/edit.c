// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Line editing by libedit, which is loaded when a prompt starts, so that other programs need not load it. libedit's own
// reading and signal handling are replaced, so that Ctrl-C and typed-ahead input behave as they do without it.

#include "nacre_config.h"

#include "edit.h"

#if NACRE_HAVE_EDIT

#include <dlfcn.h>
#include <errno.h>
#include <histedit.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

// Functions of libedit that are used; each is a field of `lib` and a symbol to be looked up.
#define EDIT_FUNCTIONS(ROW)                                                                        \
    ROW(el_init)                                                                                   \
    ROW(el_end)                                                                                    \
    ROW(el_source)                                                                                 \
    ROW(el_resize)                                                                                 \
    ROW(el_wset)                                                                                   \
    ROW(el_wget)                                                                                   \
    ROW(el_wgets)                                                                                  \
    ROW(el_wline)                                                                                  \
    ROW(el_winsertstr)                                                                             \
    ROW(history_winit)                                                                             \
    ROW(history_wend)                                                                              \
    ROW(history_w)

// The loaded library. It is global, since libedit's callbacks have no other access to it.
static struct {
    void *library;
#define FIELD(name) __typeof__(&name) name;
    EDIT_FUNCTIONS(FIELD)
#undef FIELD
} lib;

struct Editor {
    EditLine *el;
    HistoryW *history;
    Input *input;
    NacreVm *vm;
    wchar_t prompt[8];
    char held[4];     // bytes that were read, of a character that is incomplete or invalid
    int held_count;
    char *line; // the line that edit_line returned last; owned
    bool interrupted;
};

// --- Text ----------------------------------------------------------------------------------------

// Bytes that are not valid UTF-8 become lone surrogates in wide text, as in the language.
enum { LONE = 0xdc00 };

// Returns how many bytes follow the first byte of a UTF-8 character; -1 if it is not a first byte.
static int bytes_after(unsigned char first) {
    if (first < 0x80) return 0;
    if (first < 0xc2 || first > 0xf4) return -1;
    return first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
}

static bool continues(char byte) {
    return ((unsigned char)byte & 0xc0) == 0x80;
}

static wchar_t decode(const char *bytes, int after) {
    wchar_t c = (unsigned char)bytes[0] & (after ? 0x3f >> after : 0x7f);
    for (int i = 1; i <= after; i++) c = c << 6 | ((unsigned char)bytes[i] & 0x3f);
    return c;
}

static char *encode(char *to, wchar_t c) {
    if (c < 0x80) *to++ = (char)c;
    else if (c >= LONE + 0x80 && c <= LONE + 0xff) *to++ = (char)(c - LONE);
    else {
        int after = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
        *to++ = (char)((0xf80 >> after & 0xff) | c >> 6 * after);
        while (after-- > 0) *to++ = (char)(0x80 | (c >> 6 * after & 0x3f));
    }
    return to;
}

// Convert between UTF-8 and wide characters. The caller frees the result; NULL: out of memory.
static char *narrow(const wchar_t *text, size_t len) {
    char *bytes = malloc(4 * len + 1), *to = bytes;
    if (!bytes) return NULL;
    for (size_t i = 0; i < len; i++) to = encode(to, text[i]);
    *to = '\0';
    return bytes;
}

static wchar_t *widen(const char *bytes) {
    size_t len = strlen(bytes), n = 0;
    wchar_t *text = malloc((len + 1) * sizeof *text);
    if (!text) return NULL;
    while (*bytes) {
        int after = bytes_after((unsigned char)*bytes), have = 0;
        while (have < after && continues(bytes[have + 1])) have++;
        bool good = after >= 0 && have == after;
        text[n++] = good ? decode(bytes, after) : LONE + (unsigned char)*bytes;
        bytes += good ? after + 1 : 1;
    }
    text[n] = 0;
    return text;
}

// --- What libedit calls --------------------------------------------------------------------------

static Editor *editor_of(EditLine *el) {
    void *editor = NULL;
    lib.el_wget(el, EL_CLIENTDATA, &editor);
    return editor;
}

static wchar_t *give_prompt(EditLine *el) {
    return editor_of(el)->prompt;
}

// Reads until `count` bytes are held. Returns 1, 0 at the end of input, or -1.
static long hold(Editor *editor, int count) {
    while (editor->held_count < count) {
        long n = input_byte(editor->input, editor->held + editor->held_count);
        if (n < 0) editor->interrupted = errno == EINTR;
        if (n != 1) return n;
        editor->held_count++;
    }
    return 1;
}

// Reads a character for libedit. Returns 1, 0 at the end of input, or -1. Applies a changed size of the terminal, which
// thus takes effect at the next key.
static int read_char(EditLine *el, wchar_t *out) {
    Editor *editor = editor_of(el);
    lib.el_resize(el);
    long n = hold(editor, 1);
    int after = n == 1 ? bytes_after((unsigned char)editor->held[0]) : 0, used = 1;
    for (; n == 1 && used <= after; used++) {
        n = hold(editor, used + 1);
        if (n == 1 && !continues(editor->held[used])) break;
    }
    if (n != 1) return (int)n;
    bool good = used == after + 1;
    *out = good ? decode(editor->held, after) : LONE + (unsigned char)editor->held[0];
    if (!good) used = 1;
    editor->held_count -= used;
    memmove(editor->held, editor->held + used, (size_t)editor->held_count);
    return 1;
}

static unsigned char press_tab(EditLine *el, int key) {
    (void)key;
    Editor *editor = editor_of(el);
    const LineInfoW *line = lib.el_wline(el);
    bool printed;
    char *insert, *text = narrow(line->buffer, (size_t)(line->cursor - line->buffer));
    if (!text || !edit_complete(editor->vm, text, &insert, &printed)) {
        free(text);
        return CC_ERROR;
    }
    wchar_t *wide = widen(insert);
    bool good = wide && (!*wide || lib.el_winsertstr(el, wide) == 0);
    unsigned char answer = printed ? CC_REDISPLAY : good && *wide ? CC_REFRESH : CC_ERROR;
    free(wide);
    free(insert);
    free(text);
    return answer;
}

// Puts the terminal into raw mode before the prompt is shown; otherwise the terminal would echo typed-ahead keys, and
// libedit would show them again. Also disables Ctrl-Z as a signal, which would suspend the process with the terminal
// still in raw mode. It becomes a key that press_suspend handles.
static void take_terminal(EditLine *el) {
    struct termios modes;
    lib.el_wset(el, EL_PREP_TERM, 1);
    if (tcgetattr(STDIN_FILENO, &modes) != 0) return;
    modes.c_cc[VSUSP] = _POSIX_VDISABLE;
    tcsetattr(STDIN_FILENO, TCSADRAIN, &modes);
}

// Handles Ctrl-Z: restores the terminal's modes for the shell, suspends the process group, and sets raw mode again when
// the process continues.
static unsigned char press_suspend(EditLine *el, int key) {
    (void)key;
    lib.el_wset(el, EL_PREP_TERM, 0);
    kill(0, SIGTSTP);
    take_terminal(el);
    return CC_REDISPLAY;
}

// --- Opening -------------------------------------------------------------------------------------

static bool lib_open(void) {
    if (!lib.library) lib.library = dlopen(NACRE_EDIT_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!lib.library) return false;
    bool all = true;
#define LOOK_UP(name)                                                                              \
    *(void **)&lib.name = dlsym(lib.library, #name);                                               \
    all = all && lib.name;
    EDIT_FUNCTIONS(LOOK_UP)
#undef LOOK_UP
    return all;
}

const char *edit_library(void) {
    return lib_open() ? NACRE_EDIT_LIBRARY : NULL;
}

static bool can_edit(void) {
    const char *term = getenv("TERM");
    return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && term && *term &&
           strcmp(term, "dumb") != 0;
}

// Selects a UTF-8 locale, since libedit prints through the C library's wide characters.
static void choose_characters(void) {
    setlocale(LC_CTYPE, "");
    if (MB_CUR_MAX == 1) setlocale(LC_CTYPE, "C.UTF-8");
}

static bool add_history(Editor *editor, const char *line) {
    HistEventW event;
    wchar_t *wide = widen(line);
    bool added = wide && lib.history_w(editor->history, &event, H_ENTER, wide) > 0;
    free(wide);
    return added;
}

static void load_line(void *ctx, const char *line) {
    add_history(ctx, line);
}

static bool open_history(Editor *editor) {
    HistEventW event;
    editor->history = lib.history_winit();
    if (!editor->history) return false;
    lib.history_w(editor->history, &event, H_SETSIZE, HISTORY_LINES);
    lib.history_w(editor->history, &event, H_SETUNIQUE, 1);
    history_load(load_line, editor);
    lib.el_wset(editor->el, EL_HIST, lib.history_w, editor->history);
    return true;
}

static void bind_keys(EditLine *el) {
    lib.el_wset(el, EL_EDITOR, L"emacs");
    lib.el_wset(el, EL_ADDFN, L"nacre-complete", L"Complete a name", press_tab);
    lib.el_wset(el, EL_ADDFN, L"nacre-suspend", L"Suspend the program", press_suspend);
    lib.el_wset(el, EL_BIND, L"\t", L"nacre-complete", NULL);
    lib.el_wset(el, EL_BIND, L"^R", L"em-inc-search-prev", NULL);
    lib.el_source(el, NULL); // reads the user's ~/.editrc
    lib.el_wset(el, EL_BIND, L"^Z", L"nacre-suspend", NULL);
}

Editor *edit_open(Input *input, NacreVm *vm) {
    if (!can_edit() || !lib_open()) return NULL;
    choose_characters();
    Editor *editor = calloc(1, sizeof *editor);
    if (!editor) return NULL;
    *editor = (Editor){.input = input, .vm = vm};
    editor->el = lib.el_init("nacre", stdin, stdout, stderr);
    if (!editor->el || !open_history(editor)) {
        edit_close(editor);
        return NULL;
    }
    lib.el_wset(editor->el, EL_CLIENTDATA, editor);
    lib.el_wset(editor->el, EL_PROMPT, give_prompt);
    lib.el_wset(editor->el, EL_GETCFN, read_char);
    bind_keys(editor->el);
    return editor;
}

void edit_close(Editor *editor) {
    if (!editor) return;
    if (editor->el) lib.el_end(editor->el);
    if (editor->history) lib.history_wend(editor->history);
    free(editor->line);
    free(editor);
}

// --- Lines ---------------------------------------------------------------------------------------

static void keep_line(Editor *editor) {
    size_t end = strlen(editor->line);
    char last = end ? editor->line[end - 1] : '\0';
    if (last == '\n') editor->line[end - 1] = '\0';
    if (editor->line[strspn(editor->line, " \t")] && add_history(editor, editor->line))
        history_keep(editor->line);
    if (last == '\n') editor->line[end - 1] = last;
}

long edit_line(Editor *editor, const char *prompt, const char **line) {
    int len = 0;
    for (size_t i = 0; i < sizeof editor->prompt / sizeof *editor->prompt - 1 && prompt[i]; i++)
        editor->prompt[len++] = (unsigned char)prompt[i];
    editor->prompt[len] = 0;
    editor->interrupted = false;
    take_terminal(editor->el);
    const wchar_t *wide = lib.el_wgets(editor->el, &len);
    if (editor->interrupted) {
        editor->held_count = 0;
        errno = EINTR;
        return -1;
    }
    if (!wide || len <= 0) return 0;
    free(editor->line);
    editor->line = narrow(wide, (size_t)len);
    if (!editor->line) return -1; // errno is ENOMEM
    keep_line(editor);
    *line = editor->line;
    return (long)strlen(editor->line);
}

#else

const char *edit_library(void) {
    return NULL;
}

Editor *edit_open(Input *input, NacreVm *vm) {
    (void)input, (void)vm;
    return NULL;
}

void edit_close(Editor *editor) {
    (void)editor;
}

long edit_line(Editor *editor, const char *prompt, const char **line) {
    (void)editor, (void)prompt, (void)line;
    return 0;
}

#endif
