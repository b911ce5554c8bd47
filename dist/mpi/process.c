// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// State of MPI that exists once per process, however many VMs there are: MPI can be initialised only once, and not
// again after it has been finalised. So this is the only structure here that does not belong to a VM.

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dist/mpi/group.h"

static struct Process {
    pthread_mutex_t lock;
    Group *groups; // open groups, and closed ones that some ranks have not left yet
    bool keyed;
    char why[2 * TEXT_MOST];
} process = {.lock = PTHREAD_MUTEX_INITIALIZER};

// --- The right library, and the right launcher ------------------------------------------------------

#ifdef OPEN_MPI
#define COMPILED_FOR "Open MPI"
#elif defined MPICH_VERSION
#define COMPILED_FOR "MPICH"
#else
#define COMPILED_FOR "" // any library
#endif

// Returns the library's description up to the first comma or line break.
const char *library_name(char text[MPI_MAX_LIBRARY_VERSION_STRING]) {
    int length = 0;
    MPI_Get_library_version(text, &length);
    text[strcspn(text, ",\n")] = '\0';
    for (char *c = text; *c; c++)
        if (*c == '\t') *c = ' ';
    return text;
}

// Returns why the loaded MPI library does not fit; NULL: it does. A host may have loaded another MPI, whose functions
// then take precedence over those that this file was compiled for.
static const char *library_problem(void) {
    char name[MPI_MAX_LIBRARY_VERSION_STRING];
    library_name(name);
    if (strstr(name, COMPILED_FOR)) return NULL;
    snprintf(process.why, sizeof process.why, "this process has %.100s, but nacre-mpi.so was compiled for " COMPILED_FOR
             ": build nacre with the MPI that the host uses", name);
    return process.why;
}

const char *launcher_problem(int size) {
    static const struct {
        const char *variable, *name;
    } launchers[] = {
        {"OMPI_COMM_WORLD_SIZE", "the mpirun of Open MPI"},
        {"PMI_SIZE", "a launcher that speaks PMI (the mpirun of MPICH, or srun)"},
        {"SLURM_STEP_NUM_TASKS", "srun"},
    };
    char name[MPI_MAX_LIBRARY_VERSION_STRING];
    for (size_t i = 0; size == 1 && i < sizeof launchers / sizeof *launchers; i++) {
        const char *value = getenv(launchers[i].variable);
        if (!value || atoi(value) <= 1) continue;
        snprintf(process.why, sizeof process.why,
                 "%s started %d processes (%s), but nacre-mpi.so is linked with %.100s, which sees this one alone: start "
                 "the program with the launcher of that MPI, or build nacre with the launcher's",
                 launchers[i].name, atoi(value), launchers[i].variable, library_name(name));
        return process.why;
    }
    return NULL;
}

// --- Groups ---------------------------------------------------------------------------------------

void groups_add(Group *group) {
    pthread_mutex_lock(&process.lock);
    group->next = process.groups;
    process.groups = group;
    pthread_mutex_unlock(&process.lock);
}

static MPI_Request *listening(Group *group) {
    return group->flight.requests ? &group->flight.requests[0] : &group->listening;
}

// Processes the notes that have arrived. Returns whether every rank has left.
static bool everybody_left(Group *group) {
    int flag = 1;
    while (group->left < group->size && flag) {
        MPI_Status status;
        if (MPI_Test(listening(group), &flag, &status) != MPI_SUCCESS) return true;
        if (!flag) break;
        note_take(group, &group->note, status.MPI_SOURCE);
        if (group->left < group->size && !listen(group, listening(group))) return true;
    }
    return group->left == group->size && outbox_is_sent(group, &group->outbox) && outbox_is_sent(group, &group->more);
}

static void requests_free(const Group *group, Outbox *box) {
    for (int i = 0; i < box->count * (group->size - 1); i++)
        if (box->requests[i] != MPI_REQUEST_NULL) MPI_Request_free(&box->requests[i]);
}

static void mpi_release(Group *group) {
    if (group->control == MPI_COMM_NULL) return;
    MPI_Request *note = listening(group);
    requests_free(group, &group->outbox);
    requests_free(group, &group->more);
    if (*note != MPI_REQUEST_NULL) {
        MPI_Cancel(note);
        MPI_Wait(note, MPI_STATUS_IGNORE);
    }
    const bool left = mail_is_left(group);
    mail_forget(group, true);
    // After a failure, messages to the communicators may be in flight. If these were freed, the messages could be
    // received on new communicators with the same number.
    if (!group->failure.set && !left) {
        MPI_Comm_free(&group->data);
        MPI_Comm_free(&group->control);
    }
    group->data = group->control = MPI_COMM_NULL;
    group->flight.receives = group->flight.sends = 0;
}

static void group_free(Group *group) {
    mail_forget(group, false);
    free(group->outbox.notes);
    free(group->more.notes);
    free(group);
}

// Frees what belongs to the VM; the memory that notes need belongs to the process from now on.
static void disown(Group *group) {
    Mem *mem = group->mem;
    if (group->flight.requests) group->listening = group->flight.requests[0];
    flight_free(group);
    if (group->failure.size > 0) mem_free(mem, group->failure.words, group->failure.size);
    group->failure.words = NULL;
    mem_uncount(mem, group->outbox.bytes);
    mem_uncount(mem, group->more.bytes);
    mem_uncount(mem, group->bytes);
    group->mem = NULL;
}

void group_abandon(Group *group) {
    if (group->data != MPI_COMM_NULL) MPI_Comm_free(&group->data);
    if (group->control != MPI_COMM_NULL) MPI_Comm_free(&group->control);
    disown(group);
    group_free(group);
}

static void take_out(Group *group) {
    pthread_mutex_lock(&process.lock);
    Group **at = &process.groups;
    while (*at && *at != group) at = &(*at)->next;
    if (*at) *at = group->next;
    pthread_mutex_unlock(&process.lock);
}

void group_leave(Group *group) {
    if (group->control == MPI_COMM_NULL) { // MPI has been finalised before
        take_out(group);
        disown(group);
        group_free(group);
        return;
    }
    if (group->flight.receives + group->flight.sends > 0) {
        failure_set(group, group->rank, false, "it left");
        transfer_break(group);
    }
    notes_send_left(group);
    disown(group);
    groups_sweep();
}

// Frees groups that all ranks have left; with `all`, also those that only this rank has left. A group must be kept
// until then, since notes to it could be received on the next communicator that gets the same number. Returns whether
// all groups have been left.
static bool sweep(bool all) {
    bool left = true;
    for (Group **at = &process.groups, *group; (group = *at);) {
        bool over = group->control == MPI_COMM_NULL || (group->gone && (everybody_left(group) || all));
        left = left && over;
        if (over) mpi_release(group);
        if (over && !group->mem) {
            *at = group->next;
            group_free(group);
        } else at = &group->next;
    }
    return left;
}

void groups_sweep(void) {
    pthread_mutex_lock(&process.lock);
    sweep(false);
    pthread_mutex_unlock(&process.lock);
}

// --- The end --------------------------------------------------------------------------------------

void give_up(const Group *group) {
    enum { DEAF_STATUS = 75 }; // hosts/cli/launch.c reports this exit status
    MPI_Abort(group->control, DEAF_STATUS);
}

// Called by MPI_Finalize before anything else, whether the host or this file calls that.
static int at_finalize(MPI_Comm comm, int key, void *value, void *extra) {
    (void)comm, (void)key, (void)value, (void)extra;
    pthread_mutex_lock(&process.lock);
    sweep(true);
    for (Group *group = process.groups; group; group = group->next) {
        mpi_release(group);
        failure_set(group, group->rank, false, "MPI was finalised");
    }
    pthread_mutex_unlock(&process.lock);
    return MPI_SUCCESS;
}

static const Group *failed_group(void) {
    const Group *group = process.groups;
    while (group && (!group->failure.set || group->control == MPI_COMM_NULL)) group = group->next;
    return group;
}

// Finalises MPI at the exit of the process. MPI_Finalize waits for all ranks; this function waits for them first,
// without keeping a core busy. After a failure, a rank may never notice that the job ends; then it is aborted after a
// while.
static void end(void) {
    const Group *failed;
    int finalized = 0;
    Wait wait = {.turns = 0};
    MPI_Finalized(&finalized);
    if (finalized) return;
    pthread_mutex_lock(&process.lock);
    for (Group *group = process.groups; group; group = group->next)
        if (!group->gone) notes_send_left(group); // the program ends without closing its VM
    while (!sweep(false)) {
        wait_turn(&wait);
        if ((failed = failed_group()) && wait_time(&wait) > failed->patience) give_up(failed);
    }
    pthread_mutex_unlock(&process.lock);
    MPI_Finalize();
}

// --- The beginning --------------------------------------------------------------------------------

static const char *start(void) {
    int initialized = 0, finalized = 0, level = MPI_THREAD_SINGLE;
    MPI_Finalized(&finalized);
    if (finalized) return "MPI has ended in this process, and cannot be started again";
    MPI_Initialized(&initialized);
    if (initialized) return NULL;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS) return "MPI cannot be started";
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    return atexit(end) == 0 ? NULL : "no memory for what ends MPI";
}

static const char *watch_the_end(void) {
    int key = MPI_KEYVAL_INVALID;
    if (process.keyed) return NULL;
    process.keyed = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_finalize, &key, NULL) == MPI_SUCCESS &&
                    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL) == MPI_SUCCESS;
    return process.keyed ? NULL : "MPI has no memory";
}

static const char *thread_problem(void) {
    int level = MPI_THREAD_SINGLE, is_main = 0;
    MPI_Query_thread(&level);
    MPI_Is_thread_main(&is_main);
    return is_main || level >= MPI_THREAD_SERIALIZED
               ? NULL
               : "MPI was started for calls of another thread alone: open the VM in the thread that started it, or start "
                 "MPI with MPI_THREAD_SERIALIZED";
}

const char *mpi_enter(void) {
    pthread_mutex_lock(&process.lock);
    const char *why = library_problem();
    if (!why) why = start();
    if (!why) why = thread_problem();
    if (!why) why = watch_the_end();
    pthread_mutex_unlock(&process.lock);
    return why;
}
