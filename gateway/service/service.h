/*
 * The gateway's life: the configuration is read, the doors are opened,
 * requests are served, a reload swaps the configuration, a signal drains.
 */
#ifndef GATEWAY_SERVICE_H
#define GATEWAY_SERVICE_H

#include "base/addr.h"
#include "base/err.h"

struct gateway;
struct loop;

struct service_options {
	const char *conf_path, *log_path, *ready_path; /* NULL: none */
	struct addr listen, admin;
};

/* Creates the loop with the gateway's signals and runs until it is told to
 * stop; the exit code is the program's. */
enum exit_code service_run(const struct service_options *o);

/* The same in steps, on a loop of the caller's: *g starts zeroed.  After a
 * failed open, close it all the same. */
enum err service_open(struct gateway *g, struct loop *l,
    const struct service_options *o, struct why *why);
void service_close(struct gateway *g);
void service_stop(struct gateway *g); /* drains, then quits the loop */

/* Reads the configuration again and swaps it; a bad one changes nothing. */
enum err service_reload(struct gateway *g, struct why *why);

#endif
