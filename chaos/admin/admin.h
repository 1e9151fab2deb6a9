/*
 * The admin listener: routes by a table, answers in Toxiproxy's shapes.
 * The routes themselves are toxiproxy.c's and limits.c's.
 */
#ifndef CHAOS_ADMIN_H
#define CHAOS_ADMIN_H

#include "base/addr.h"
#include "base/err.h"
#include "base/loop.h"
#include "base/serve.h"
#include "chaos/admin/admin_door.h"
#include "chaos/admin/control_room.h"
#include "chaos/tcp/tcpproxy.h"
#include <jansson.h>

#define ADMIN_NAMES_MAX 2
#define ADMIN_NAME_MAX  256

struct admin;

struct admin_conf { /* all borrowed */
	struct loop *loop;
	struct addr listen;
	struct tcpset *set;
	struct engine *engine;
	struct room *room; /* NULL: none */
	struct door door;
};

/* ERR_EXISTS: the address is taken. */
enum err admin_new(const struct admin_conf *conf, struct admin **ret,
    struct why *why);
void admin_free(struct admin *a); /* NULL-safe */
void admin_address(const struct admin *a, struct addr *ret);

/* ---- for routes */

struct admin_request {
	struct tcpset *set;
	struct engine *engine;
	struct loop *loop;
	struct serve_call *call;
	char names[ADMIN_NAMES_MAX][ADMIN_NAME_MAX]; /* the path's {} parts */
	char id[21];     /* X-Toxiproxy-Request-Id */
	bool is_of_room; /* our own page asks */
};

struct admin_route {
	const char *method; /* "POST|PATCH" */
	const char *path;   /* "/proxies/{}" */
	void (*answer)(struct admin_request *r);
};

/* Makes or replaces the proxies of a list; those made so far are appended to
 * made.  ERR_SYNTAX: nothing was made; ERR_IO: the rest could not be. */
enum err toxiproxy_populate(struct tcpset *set, json_t *list, json_t *made,
    struct why *why);

extern const struct admin_route admin_routes[]; /* Toxiproxy's */
extern const size_t admin_nroutes;
extern const struct admin_route admin_own_routes[]; /* ours, limits.c */
extern const size_t admin_nown_routes;

/* The body as JSON, any value, owned; NULL: *why is the message to answer. */
json_t *admin_read(struct admin_request *r, struct why *why);
/* The same; NULL after the error was answered. */
json_t *admin_body(struct admin_request *r);
void admin_json(struct admin_request *r, int status, json_t *v); /* taken */
void admin_error(struct admin_request *r, int status, const char *message);
void admin_text(struct admin_request *r, int status, const char *type,
    struct slice body);
void admin_empty(struct admin_request *r, int status);

#endif
