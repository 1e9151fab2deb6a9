/*
 * bench-llm: a model's door and its clients, to measure what stands between
 * them.
 *
 *	bench-llm upstream			answers, plain and streamed
 *	bench-llm latency HOST:PORT		one request at a time
 *	bench-llm streams HOST:PORT		thousands of streams, held open
 *	bench-llm soak HOST:PORT		mixed traffic, all accounted for
 *
 * The upstream is told by the request how to stream: "kf_events" says how
 * many events, "kf_interval_ms" how far apart, "kf_burst" how many at a time.
 */
#ifndef BENCH_LLM_H
#define BENCH_LLM_H

#include "base/addr.h"
#include "base/fetch.h"

struct llm_options {
	const char *ready; /* upstream: the ready file */
	const char *path;
	const char *key;     /* sent with every request; NULL: none */
	const char *portkey; /* Portkey's gateway is told to ask this URL */
	int64_t count, events, interval_ms, burst, rounds, seconds, pid;
};

enum exit_code llm_upstream(const struct llm_options *o);
enum exit_code llm_latency(const struct llm_options *o, const struct addr *to);
enum exit_code llm_streams(const struct llm_options *o, const struct addr *to);
enum exit_code llm_soak(const struct llm_options *o, const struct addr *to);

/* How a stream is asked for; events 0: a plain answer. */
struct llm_stream {
	int64_t events, interval_ms, burst;
};

/* Writes the body of a 1.1 KB chat completion. */
#define LLM_BODY_BYTES 2048
size_t llm_body(char out[LLM_BODY_BYTES], const struct llm_stream *s);

/* Asks for o->path on this pool; the body lives as long as the call takes. */
struct fetch *llm_ask(struct fetch_pool *p, const struct addr *to,
    const struct llm_options *o, struct slice body, const struct fetch_ops *ops,
    void *arg);

#endif
