/*
 * A stage for the whole gateway: on one loop a scripted upstream, the gateway
 * itself, and a client.  What the upstream plays depends on the model it is
 * asked for: see the table of scenes in stage.c.  For every scene there are
 * two rules: SCENE falls back to a good target, alone-SCENE does not.
 */
#ifndef TESTS_UNIT_GATEWAY_STAGE_H
#define TESTS_UNIT_GATEWAY_STAGE_H

#include "gateway/exchange/gateway.h"
#include "gateway/service/service.h"

#define STAGE_SCENES_MAX 64
/* How long the gateway waits for a first token, and for the next one: far
 * longer than this process may be kept from running, so the longer the more
 * others want to run. */
long stage_patience_ms(void);

/* Events of the streams that are played. */
#define THEN "|" /* in a text: what follows comes a little later */
#define ROLE "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\"}}]}\n\n"
#define WORD "data: {\"choices\":[{\"delta\":{\"content\":\"w\"}}]}\n\n"
#define STOP                                                                   \
	"data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
#define DONE "data: [DONE]\n\n"

struct scene;

struct stage {
	struct loop *loop;
	struct serve *upstream;
	struct gateway gate;
	char *conf_path; /* owned */
	struct fetch_pool *pool;
	struct event *watchdog, *later, *leave;
	struct fetch *asking;
	struct serve_call *playing; /* waits for later */
	const struct scene *scene;
	unsigned played[STAGE_SCENES_MAX];
	char asked[4096]; /* the last body the upstream got */
	bool saw_key, saw_session;
	void (*on_asked)(struct stage *st); /* once, by the next request */

	/* What the client got. */
	struct http1_field extra; /* what the client says beyond that */
	int status;
	struct buf head, body;
	bool is_over, is_cut;
	bool is_leaving; /* the client goes soon after the first byte */
	bool saw_gone;   /* the upstream lost its client */
};

/* settings: lines of configuration that stand before the rules. */
bool stage_open(struct stage *st, const char *settings);
void stage_close(struct stage *st); /* also after a failed open */

/* Asks and waits for the end; metadata NULL for none. */
void stage_ask(struct stage *st, const char *model, bool stream,
    const char *metadata);
void stage_ask_raw(struct stage *st, const char *method, const char *path,
    const char *metadata, const char *body);

/* The causes named in x-kf-attempts, with spaces between. */
void stage_tried(const struct stage *st, char *out, size_t size);

#endif
