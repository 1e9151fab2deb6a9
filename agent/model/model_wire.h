/*
 * One attempt of the model client on the wire: bytes from libcurl into a
 * completion and the answer's headers.  Private to model*.c.
 */
#ifndef AGENT_MODEL_WIRE_H
#define AGENT_MODEL_WIRE_H

#include "agent/model/answer_assembly.h"
#include "agent/model/attempt_cost.h"
#include "agent/model/model.h"
#include "base/buf.h"
#include "base/sse.h"
#include <curl/curl.h>

#define WIRE_ATTEMPTS_MAX 1024

struct model_wire {
	CURL *curl;               /* borrowed */
	struct completion answer; /* whatever could be put together */
	struct sse_parser *sse;   /* owned; NULL: the body is not a stream */
	struct buf body;          /* when it is not */
	int status;
	size_t sent_bytes;          /* of the question's body */
	bool streams;               /* the content type says so */
	uint64_t progress_us;       /* when payload last came */
	uint32_t idle_ms, first_ms; /* first_ms 0: as idle_ms */
	bool stalled;
	bool stopped;    /* the program was asked to stop */
	bool too_big;    /* more bytes than we take: ours, not a cut stream */
	unsigned pieces; /* events with content, about a token each */
	uint64_t begin_us, told_us;
	size_t told_bytes;
	unsigned attempt; /* for on_wait, as model */
	const char *model;
	void (*on_wait)(const struct model_wait *w, void *arg);
	void *arg;
	char resolved[MODEL_TEXT_MAX]; /* x-tfy-resolved-model */
	char routing[MODEL_TEXT_MAX];  /* x-tfy-routing */
	char request_id[MODEL_TEXT_MAX];
	char retry_after[64], retry_after_ms[32], should_retry[16];
	char attempts[WIRE_ATTEMPTS_MAX]; /* x-kf-attempts */
	char type[64];
	char error[CURL_ERROR_SIZE];
};

void model_wire_init(struct model_wire *w, CURL *curl, uint32_t idle_ms);
void model_wire_done(struct model_wire *w);

/* Performs the prepared transfer; the URL, head and body are set already. */
CURLcode model_wire_perform(struct model_wire *w, uint64_t left_ms);

/* What the gateway's x-kf-attempts tells, of tokens nothing; a gateway that is
 * not ours, or none, tells nothing at all: usd -1, calls 0. */
struct attempt_cost model_wire_cost(const char *attempts);

/* How long nothing may come as things stand. */
uint32_t model_wire_idle_ms(const struct model_wire *w);

/* Foreign words for logs and ledger: what is not printable ASCII is '?'. */
void model_wire_plain(char *text);

/* Did a transfer end so because nobody is there?  A time limit that ended before
 * the request could be sent is that too: nothing was paid for. */
bool model_wire_is_unreachable(CURL *curl, CURLcode code);

#endif
