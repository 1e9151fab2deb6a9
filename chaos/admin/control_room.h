/*
 * The control room: a page on the admin port, /ui, that shows proxies,
 * requests as they pass, the faults that struck them and what the client did
 * next, and has switches for rules and toxics.
 *
 *	GET  /ui                the page, one file, asks nobody outside
 *	GET  /ui/state          rules, proxies and counts as JSON
 *	GET  /ui/stream         what happens, as server-sent events
 *	POST /ui/rules/ID       {"enabled": false}
 *	POST /ui/audits/ID      what kf-chaos audit --room sees
 *	ANY  /ui/api/...        the admin API, for the page
 *
 * The Toxiproxy routes refuse browsers, so that no web page can drive the
 * proxy; the page's own routes ask instead that the origin is the page's, and
 * that whatever changes something carries the header x-kf-room.  By which name
 * and token anybody comes is admin_door.h's.
 */
#ifndef CHAOS_CONTROL_ROOM_H
#define CHAOS_CONTROL_ROOM_H

#include "base/serve.h"
#include "chaos/http/traffic_view.h"
#include "chaos/rules/engine.h"

struct room;

struct room_env { /* all borrowed, longer-lived than the room */
	struct loop *loop;
	const struct scenario *scenario;
	struct engine *engine;
	struct events *events;
	struct traffic *traffic;
	/* Appends {"name", "mode", "listen", "active"} for each HTTP proxy. */
	void (*list_proxies)(json_t *list, void *arg);
	void *arg;
};

struct room *room_new(const struct room_env *env);
void room_free(struct room *r); /* NULL-safe; before the admin listener */

enum room_answer {
	ROOM_ELSEWHERE, /* not a path of the room */
	ROOM_ANSWERED,  /* the call has its answer, or will get it */
	ROOM_API,       /* *path is now that of the admin API, for the page */
};

/* r NULL: there is no room. */
enum room_answer room_request(struct room *r, struct serve_call *c,
    struct slice *path);
void room_gone(struct room *r, struct serve_call *c); /* a client left */

/* control_room_page.c: the bytes of the page. */
struct slice room_page(void);

#endif
