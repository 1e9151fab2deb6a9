/*
 * bench-llm's command line, and the request that all its clients send.
 */
#include "bench/llm.h"

#include "base/opts.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define OFF(m) offsetof(struct llm_options, m)

/* clang-format off */
static const struct opt rows[] = {
	{ "burst",       OPT_INT,    OFF(burst),       1, 64,         "N",    "Events of a stream that come at once; 1." },
	{ "count",       OPT_INT,    OFF(count),       1, 1000000,    "N",    "Requests (latency, 2000) or streams (1000)." },
	{ "events",      OPT_INT,    OFF(events),      1, 1000000,    "N",    "Events of a stream; 20." },
	{ "interval-ms", OPT_INT,    OFF(interval_ms), 0, 60000,      "MS",   "From one event to the next; 200." },
	{ "path",        OPT_STRING, OFF(path),        0, 0,          "PATH", "What is asked; /v1/chat/completions." },
	{ "pid",         OPT_INT,    OFF(pid),         1, INT32_MAX,  "PID",  "The process to measure." },
	{ "key",         OPT_STRING, OFF(key),         0, 0,          "KEY",  "Sent with every request." },
	{ "portkey",     OPT_STRING, OFF(portkey),     0, 0,          "URL",  "Tell Portkey's gateway to ask this one." },
	{ "ready-file",  OPT_STRING, OFF(ready),       0, 0,          "FILE", "Write the ready line there too." },
	{ "seconds",     OPT_INT,    OFF(seconds),     1, 1000000,    "S",    "How long to soak; 60." },
	{ "rounds",      OPT_INT,    OFF(rounds),      1, 100,        "N",    "How often the streams are opened; 2." },
};
/* clang-format on */

static const struct opt_command command = { "bench-llm",
	"upstream | latency HOST:PORT | streams HOST:PORT | soak HOST:PORT",
	"A model's door and its clients, to measure what stands between them.",
	rows, COUNT(rows), 1, 2, NULL };

size_t
llm_body(char out[LLM_BODY_BYTES], const struct llm_stream *s)
{
	char system[401], user[601], stream[128] = "";

	memset(system, 'a', sizeof system - 1);
	memset(user, 'b', sizeof user - 1);
	system[sizeof system - 1] = user[sizeof user - 1] = '\0';
	if (s->events > 0)
		snprintf(stream, sizeof stream,
		    ",\"stream\":true,\"kf_events\":%" PRId64
		    ",\"kf_interval_ms\":%" PRId64 ",\"kf_burst\":%" PRId64,
		    s->events, s->interval_ms, s->burst);
	return (size_t)snprintf(out, LLM_BODY_BYTES,
	    "{\"model\":\"deepseek-v4-flash\",\"messages\":["
	    "{\"role\":\"system\",\"content\":\"%s\"},"
	    "{\"role\":\"user\",\"content\":\"%s\"}],\"temperature\":0%s}",
	    system, user, stream);
}

struct fetch *
llm_ask(struct fetch_pool *p, const struct addr *to,
    const struct llm_options *o, struct slice body, const struct fetch_ops *ops,
    void *arg)
{
	struct http1_field fields[4] = { { "Content-Type",
	    "application/json" } };
	size_t n = 1;
	struct fetch_request r = { .addr = *to,
		.method = "POST",
		.target = o->path,
		.fields = fields,
		.body = body.p,
		.body_bytes = body.n };

	if (o->key)
		fields[n++] = (struct http1_field){ "x-api-key", o->key };
	if (o->portkey) {
		fields[n++] =
		    (struct http1_field){ "x-portkey-provider", "openai" };
		fields[n++] =
		    (struct http1_field){ "x-portkey-custom-host", o->portkey };
	}
	r.nfields = n;
	return fetch_start(p, &r, ops, arg);
}

static const struct {
	const char *name;
	enum exit_code (
	    *run)(const struct llm_options *o, const struct addr *to);
} clients[] = {
	{ "latency", llm_latency },
	{ "soak", llm_soak },
	{ "streams", llm_streams },
};

static enum exit_code
usage(const char *text)
{
	fprintf(stderr, "bench-llm: %s\n", text);
	return EXIT_USAGE;
}

static enum exit_code
run(int argc, char **argv)
{
	struct llm_options o = { .path = "/v1/chat/completions",
		.count = 1000,
		.events = 20,
		.interval_ms = 200,
		.burst = 1,
		.rounds = 2,
		.seconds = 60 };
	const char *words[2] = { NULL, NULL };
	struct addr to;
	struct why why;
	size_t n;
	enum err e;

	e = opts_parse(&command, argc, argv, &o, words, &n, &why);
	if (e == ERR_STATE)
		return EXIT_DONE;
	if (e != ERR_OK)
		return usage(why.text);
	if (strcmp(words[0], "upstream") == 0)
		return llm_upstream(&o);
	if (n < 2 || addr_parse(words[1], &to, &why) != ERR_OK)
		return usage("expected HOST:PORT");
	for (size_t i = 0; i < COUNT(clients); i++)
		if (strcmp(words[0], clients[i].name) == 0)
			return clients[i].run(&o, &to);
	return usage("expected upstream, latency, soak or streams");
}

int
main(int argc, char **argv)
{
	return (int)run(argc, argv);
}
