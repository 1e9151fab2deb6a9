/*
 * A program that leads a process group of its own, so that whatever it
 * started can be ended with it; its output goes to files.
 */
#ifndef CHAOS_CLIENT_PROCESS_H
#define CHAOS_CLIENT_PROCESS_H

#include "base/err.h"
#include <stddef.h>
#include <sys/types.h>

struct client_process_conf {  /* all borrowed for the call */
	char *const *command; /* NULL-terminated, found by PATH */
	const char *folder;   /* where "stdout" and "stderr" go */
	/* Called in the child, before its files are closed. */
	void (*set_environment)(void *arg);
	void *arg;
};

struct client_process {
	pid_t pid; /* 0: none, or ended */
	int fd;    /* readable once it has ended */
};

/* A program that cannot be run ends with 127 and says why on its stderr. */
enum err client_process_start(const struct client_process_conf *conf,
    struct client_process *ret, struct why *why);

void client_process_kill(const struct client_process *c,
    int sig); /* the whole group */

/* Ends what is left of the group, waits for the program, and gives its
 * status as waitpid does. */
int client_process_reap(struct client_process *c);

/* Of what it wrote to stderr, the line that most likely says why it failed;
 * "" when there is none. */
void client_process_last_words(const char *folder, char *out, size_t size);

#endif
