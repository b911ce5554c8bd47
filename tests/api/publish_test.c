// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Hosts that show values in their forms, run cells, ask with a prompt, and keep interrupts that come early.

#include <string.h>
#include <unistd.h>

#include "harness.h"

// What was published last, and the question that was asked last.
typedef struct Shown {
    int count, forms, wait, hidden;
    NacrePublishKind kind;
    char mimes[256], text[256], html[256], metadata[128], id[64], prompt[64];
    const char *answer;
    int refuse, asked;
    NacreVm *interrupts; // at the first question; NULL: nothing does
    int before[2], after[2]; // of the first questions: what nacre_interrupted said
} Shown;

static void copy(char *to, size_t size, const char *from, size_t len) {
    size_t n = len < size - 1 ? len : size - 1;
    if (n) memcpy(to, from, n);
    to[n] = '\0';
}

static int publish(void *ctx, const NacrePublication *publication) {
    Shown *shown = ctx;
    shown->count++;
    shown->kind = publication->kind;
    shown->forms = (int)publication->count;
    shown->wait = publication->wait;
    shown->mimes[0] = '\0';
    copy(shown->metadata, sizeof shown->metadata, publication->metadata ? publication->metadata : "", 
         publication->metadata ? strlen(publication->metadata) : 0);
    copy(shown->id, sizeof shown->id, publication->id ? publication->id : "", publication->id ? strlen(publication->id) : 0);
    for (size_t i = 0; i < publication->count; i++) {
        const NacreForm *form = &publication->forms[i];
        size_t used = strlen(shown->mimes);
        snprintf(shown->mimes + used, sizeof shown->mimes - used, "%s%s ", form->mime, form->binary ? "*" : "");
        if (strcmp(form->mime, "text/plain") == 0) copy(shown->text, sizeof shown->text, form->data, form->len);
        if (strcmp(form->mime, "text/html") == 0) copy(shown->html, sizeof shown->html, form->data, form->len);
    }
    return shown->refuse;
}

static long ask(void *ctx, const char *prompt, size_t len, int hidden, const char **bytes) {
    Shown *shown = ctx;
    copy(shown->prompt, sizeof shown->prompt, prompt, len);
    shown->hidden = hidden;
    if (!shown->answer) return -2;
    if (shown->interrupts && shown->asked < 2) {
        shown->before[shown->asked] = nacre_interrupted(shown->interrupts);
        if (shown->asked == 0) nacre_interrupt(shown->interrupts);
        shown->after[shown->asked] = nacre_interrupted(shown->interrupts);
    }
    if (shown->asked++ == 0 && shown->interrupts) return -1;
    *bytes = shown->answer;
    return (long)strlen(shown->answer);
}

static NacreVm *start(Shown *shown) {
    *shown = (Shown){0};
    NacreOptions options = {.struct_size = sizeof options, .publish = publish, .ask = ask, .ctx = shown, .keep_interrupts = 1};
    return nacre_new(&options);
}

static NacreStatus cell(NacreVm *vm, const char *text) {
    return nacre_run(vm, text, strlen(text), "In[1]", NACRE_CELL);
}

static void test_cells(void) {
    Shown shown;
    NacreVm *vm = start(&shown);
    CHECK(cell(vm, "1\n2\n3") == NACRE_OK);
    CHECK(shown.count == 1 && shown.kind == NACRE_PUBLISH_RESULT && strcmp(shown.text, "3") == 0);
    CHECK(cell(vm, "_ + 1") == NACRE_OK && strcmp(shown.text, "4") == 0);
    static const char *const silent[] = {"x = 1", "None", "if x:\n    7", "def f():\n    8", "for i in [1]: i", "", "\n\n", "# no"};
    for (size_t i = 0; i < sizeof silent / sizeof *silent; i++) CHECK(cell(vm, silent[i]) == NACRE_OK && shown.count == 2);
    CHECK(cell(vm, "'''text'''") == NACRE_OK && strcmp(shown.text, "'text'") == 0);
    CHECK(cell(vm, "1\n1 / 0") == NACRE_ERROR && nacre_error_line(vm) == 2);
    CHECK(cell(vm, "(") == NACRE_ERROR);
    nacre_free(vm);
}

// Without `publish` the text goes where a prompt's values go.
static void test_cells_as_text(void) {
    Host host;
    NacreVm *vm = host_start(&host);
    CHECK(cell(vm, "1\n6 * 7") == NACRE_OK && strcmp(host.shown, "42") == 0);
    nacre_free(vm);
}

static void test_forms(void) {
    Shown shown;
    NacreVm *vm = start(&shown);
    CHECK(cell(vm, "class C:\n"
                   "    def __repr__(self): return 'C!'\n"
                   "    def _repr_html_(self): return '<b>C</b>'\n"
                   "    def _repr_png_(self): return b'\\x89PNG', {'width': 3}\n"
                   "C()") == NACRE_OK);
    CHECK(strcmp(shown.mimes, "text/plain text/html image/png* ") == 0 && strcmp(shown.html, "<b>C</b>") == 0);
    CHECK(strcmp(shown.metadata, "{\"image/png\": {\"width\": 3}}") == 0);
    CHECK(cell(vm, "import numpy as np\nnp.arange(4.)") == NACRE_OK && strstr(shown.html, "<table>"));
    CHECK(cell(vm, "from IPython.display import *\nh = display(5, display_id='five')") == NACRE_OK);
    CHECK(shown.kind == NACRE_PUBLISH_DISPLAY && strcmp(shown.id, "five") == 0);
    CHECK(cell(vm, "h.update(6)") == NACRE_OK && shown.kind == NACRE_PUBLISH_UPDATE && strcmp(shown.text, "6") == 0);
    CHECK(cell(vm, "clear_output(wait=True)") == NACRE_OK && shown.kind == NACRE_PUBLISH_CLEAR && shown.wait);
    CHECK(cell(vm, "display({'text/x': 5}, raw=True)") == NACRE_ERROR && strcmp(nacre_error_class(vm), "TypeError") == 0);
    CHECK(cell(vm, "display({str(i): 'x' for i in range(40)}, raw=True)") == NACRE_ERROR);
    shown.refuse = 1;
    CHECK(cell(vm, "7") == NACRE_ERROR && strcmp(nacre_error_class(vm), "OSError") == 0);
    nacre_free(vm);
}

static void test_questions(void) {
    Shown shown;
    NacreVm *vm = start(&shown);
    shown.answer = "Ada\n";
    CHECK(cell(vm, "input('Name? ')") == NACRE_OK && strcmp(shown.text, "'Ada'") == 0);
    CHECK(strcmp(shown.prompt, "Name? ") == 0 && !shown.hidden);
    CHECK(cell(vm, "import getpass\ngetpass.getpass()") == NACRE_OK && shown.hidden && strcmp(shown.text, "'Ada'") == 0);
    shown.answer = "";
    CHECK(cell(vm, "input()") == NACRE_ERROR && strcmp(nacre_error_class(vm), "EOFError") == 0);
    shown.answer = NULL;
    CHECK(cell(vm, "input()") == NACRE_ERROR && strcmp(nacre_error_class(vm), "RuntimeError") == 0);
    nacre_free(vm);
}

// A question in the handler of an interrupt is one like any other.
static void test_interrupted_questions(void) {
    Shown shown;
    NacreVm *vm = start(&shown);
    shown.answer = "Ada\n";
    shown.interrupts = vm;
    CHECK(!nacre_interrupted(vm) && !nacre_interrupted(NULL));
    CHECK(cell(vm, "try:\n    a = input()\nexcept KeyboardInterrupt:\n    a = 'handled ' + input()\na") == NACRE_OK);
    CHECK(strcmp(shown.text, "'handled Ada'") == 0 && shown.asked == 2);
    CHECK(!shown.before[0] && shown.after[0] && !shown.before[1] && !shown.after[1]);
    nacre_interrupt(vm);
    CHECK(nacre_interrupted(vm));
    nacre_forget_interrupt(vm);
    CHECK(!nacre_interrupted(vm));
    nacre_free(vm);
}

// The end of the time that a call may take is told, too.
static long ask_for_ever(void *ctx, const char *prompt, size_t len, int hidden, const char **bytes) {
    (void)prompt, (void)len, (void)hidden, (void)bytes;
    while (!nacre_interrupted(*(NacreVm **)ctx)) usleep(1000);
    return -1;
}

static void test_questions_without_end(void) {
    NacreVm *vm = NULL;
    NacreOptions options = {.struct_size = sizeof options, .ask = ask_for_ever, .ctx = &vm, .time_limit = 0.05};
    vm = nacre_new(&options);
    CHECK(cell(vm, "input()") == NACRE_ERROR && strcmp(nacre_error_class(vm), "TimeoutError") == 0);
    CHECK(cell(vm, "1") == NACRE_OK);
    nacre_free(vm);
}

static void test_early_interrupts(void) {
    Shown shown;
    NacreVm *vm = start(&shown);
    nacre_interrupt(vm);
    CHECK(cell(vm, "while True: pass") == NACRE_INTERRUPTED);
    CHECK(cell(vm, "1") == NACRE_OK);
    nacre_interrupt(vm);
    nacre_forget_interrupt(vm);
    CHECK(cell(vm, "sum(range(1000))") == NACRE_OK && strcmp(shown.text, "499500") == 0);
    nacre_forget_interrupt(NULL);
    nacre_free(vm);
}

int main(void) {
    static const Test tests[] = {
        {"cells", test_cells},         {"cells as text", test_cells_as_text},      {"forms", test_forms},
        {"questions", test_questions}, {"interrupted questions", test_interrupted_questions},
        {"questions without end", test_questions_without_end}, {"early interrupts", test_early_interrupts},
    };
    return RUN_TESTS(tests);
}
