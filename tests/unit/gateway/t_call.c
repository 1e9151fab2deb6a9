/*
 * The whole gateway on one loop with a scripted upstream and a client: what
 * the client is told in every situation an upstream can bring about.
 */
#include "gateway/gate.h"

#include "base/files.h"
#include "gateway/metrics.h"
#include "gateway/peek.h"
#include "tests/unit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

/* ---- the upstream: what it plays depends on the model it is asked for */

enum play {
	WHOLE,  /* a whole answer */
	EVENTS, /* a stream that ends well */
	CUT,    /* a stream whose connection closes */
	RESET,  /* a stream whose connection is reset */
	STALL,  /* a stream that says no more */
	SILENT, /* nothing at all */
	CLOSE,  /* closes without an answer */
};

#define THEN "|" /* in a text: what follows comes a little later */
#define ROLE "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\"}}]}\n\n"
#define WORD "data: {\"choices\":[{\"delta\":{\"content\":\"w\"}}]}\n\n"
#define STOP                                                                   \
	"data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
#define DONE "data: [DONE]\n\n"
#define GOOD                                                                   \
	"{\"choices\":[{\"message\":{\"content\":\"hi\",\"reasoning_"          \
	"content\":\"r\"},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_"   \
	"tokens\":3,\"completion_tokens\":2}}"
#define NOTHING                                                                \
	"{\"choices\":[{\"message\":{\"content\":\"\"},\"finish_reason\":"     \
	"\"stop\"}]}"
#define WRONG                                                                  \
	"{\"error\":{\"message\":\"upstream says "                             \
	"no\",\"type\":\"t\",\"code\":\"c\"}}"
#define QUOTA                                                                  \
	"{\"error\":{\"message\":\"no "                                        \
	"money\",\"code\":\"insufficient_quota\"}}"

/* clang-format off */
static const struct scene {
	const char *model;
	enum play play;
	int status;
	const char *text;
	unsigned times; /* then it is good; 0: always */
} scenes[] = {
	{ "good",       WHOLE,  200, GOOD, 0 },
	{ "better",     WHOLE,  200, "{\"choices\":[{\"message\":{\"content\":\"{\\\"a\\\":1}\"},\"finish_reason\":\"stop\"}]}", 0 },
	{ "once503",    WHOLE,  503, WRONG, 1 },
	{ "always503",  WHOLE,  503, WRONG, 0 },
	{ "says400",    WHOLE,  400, WRONG, 0 },
	{ "says401",    WHOLE,  401, WRONG, 0 },
	{ "says418",    WHOLE,  418, WRONG, 0 },
	{ "quota",      WHOLE,  429, QUOTA, 0 },
	{ "html503",    WHOLE,  503, "<html>\n<b>down</b>", 0 },
	{ "html200",    WHOLE,  200, "<html>\n<b>hello</b>", 0 },
	{ "text500",    WHOLE,  500, "oops", 0 },
	{ "cutjson",    WHOLE,  200, "{\"choices\":[{\"mess", 0 },
	{ "emptybody",  WHOLE,  200, "", 0 },
	{ "nothing",    WHOLE,  200, NOTHING, 0 },
	{ "nothing1",   WHOLE,  200, NOTHING, 1 },
	{ "error200",   WHOLE,  200, WRONG, 0 },
	{ "silent",     SILENT, 0,   NULL, 0 },
	{ "close",      CLOSE,  0,   NULL, 0 },
	{ "close1",     CLOSE,  0,   NULL, 1 },
	{ "stream",     EVENTS, 200, ROLE WORD WORD STOP DONE, 0 },
	{ "nodone",     EVENTS, 200, ROLE WORD STOP, 0 },
	{ "nofinish",   EVENTS, 200, ROLE WORD, 0 },
	{ "cut0",       CUT,    200, ROLE, 0 },
	{ "cut1",       CUT,    200, ROLE WORD THEN WORD, 0 },
	{ "reset1",     RESET,  200, ROLE WORD, 0 },
	{ "slow",       EVENTS, 200, ROLE WORD THEN STOP DONE, 0 },
	{ "stall0",     STALL,  200, ROLE ": keep-alive\n\n", 0 },
	{ "stall1",     STALL,  200, ROLE WORD, 0 },
	{ "error0",     EVENTS, 200, "data: " WRONG "\n\n", 0 },
	{ "errorword",  EVENTS, 200, ROLE WORD "data: " WRONG "\n\n", 0 },
	{ "error1",     EVENTS, 200, ROLE WORD THEN "data: " WRONG "\n\n", 0 },
	{ "badjson1",   EVENTS, 200, ROLE WORD THEN "data: {\"cho\n\n", 0 },
	{ "usage",      EVENTS, 200, ROLE WORD STOP "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":9}}\n\n" DONE, 0 },
	{ "voidstream", EVENTS, 200, ROLE STOP DONE, 0 },
};
/* clang-format on */

#define NSCENES (sizeof scenes / sizeof scenes[0])

struct stage {
	struct loop *loop;
	struct serve *upstream;
	struct gate gate;
	char *conf_path; /* owned */
	struct fetch_pool *pool;
	struct event *watchdog, *later, *leave;
	struct fetch *asking;
	struct serve_call *playing; /* waits for later */
	const struct scene *scene;
	unsigned played[NSCENES];
	char asked[4096]; /* the last body the upstream got */
	bool saw_key, saw_session;

	/* What the client got. */
	struct http1_field extra; /* what the client says beyond that */
	int status;
	struct buf head, body;
	bool is_over, is_cut;
	bool is_leaving; /* the client goes soon after the first byte */
	bool saw_gone;   /* the upstream lost its client */
};

static const struct http1_field json_content = { "Content-Type",
	"application/json" };
static const struct http1_field event_content = { "Content-Type",
	"text/event-stream; charset=utf-8" };

/* The rest of a stream and its end. */
static void
end_scene(struct stage *st, const char *rest)
{
	struct serve_call *sc = st->playing;
	enum play play = st->scene->play;

	st->playing = NULL;
	serve_write(sc, rest, strlen(rest));
	if (play == EVENTS)
		serve_finish(sc);
	else if (play == CUT || play == RESET)
		serve_abort(sc, play == CUT ? SERVE_END_FIN : SERVE_END_RST);
}

static void
play_scene(struct stage *st, struct serve_call *sc, const struct scene *scene)
{
	static const struct timeval soon = { 0, 10000 };
	size_t n = scene->text ? strlen(scene->text) : 0;

	if (scene->play == SILENT)
		return;
	if (scene->play == CLOSE) {
		serve_abort(sc, SERVE_END_FIN);
		return;
	}
	if (scene->play == WHOLE) {
		serve_answer(sc, scene->status, &json_content, 1, scene->text,
		    n);
		return;
	}
	serve_start(sc, scene->status, &event_content, 1);
	n = strcspn(scene->text, THEN);
	serve_write(sc, scene->text, n);
	st->playing = sc;
	st->scene = scene;
	if (scene->text[n])
		evtimer_add(st->later, &soon);
	else
		end_scene(st, "");
}

static void
on_later(evutil_socket_t fd, short what, void *arg)
{
	struct stage *st = arg;

	(void)fd;
	(void)what;
	if (st->playing)
		end_scene(st, strchr(st->scene->text, *THEN) + 1);
}

static void
upstream_gone(struct serve_call *sc, enum serve_gone why, void *arg)
{
	struct stage *st = arg;

	(void)why;
	st->saw_gone = true;
	if (st->playing == sc)
		st->playing = NULL;
	if (st->is_leaving)
		loop_quit(st->loop);
}

static void
upstream_request(struct serve_call *sc, void *arg)
{
	static const struct scene good = { "good", WHOLE, 200, GOOD, 0 };
	const struct scene *scene = &good;
	struct slice body = serve_body(sc);
	struct stage *st = arg;
	struct peek k;
	char model[64];

	snprintf(st->asked, sizeof st->asked, SLICE_FMT, SLICE_ARG(body));
	st->saw_key = http1_get(serve_head(sc), "authorization") != NULL;
	st->saw_session = http1_get(serve_head(sc), "x-session-id") != NULL;
	if (peek_read(body, &k, NULL) == ERR_OK &&
	    peek_string(&k, "model", model, sizeof model))
		for (size_t i = 0; i < NSCENES; i++)
			if (strcmp(model, scenes[i].model) == 0 &&
			    (scenes[i].times == 0 ||
			        st->played[i]++ < scenes[i].times))
				scene = &scenes[i];
	play_scene(st, sc, scene);
}

static const struct serve_ops upstream_ops = {
	.on_request = upstream_request,
	.on_gone = upstream_gone,
};

/* ---- the client */

static void
client_head(struct fetch *f, const struct http1_head *h, void *arg)
{
	struct stage *st = arg;

	(void)f;
	st->status = h->status;
	for (size_t i = 0; i < h->nheaders; i++)
		buf_addf(&st->head, SLICE_FMT ": " SLICE_FMT "\n",
		    SLICE_ARG(h->headers[i].name),
		    SLICE_ARG(h->headers[i].value));
}

static void
client_data(struct fetch *f, const char *p, size_t n, void *arg)
{
	/* A FIN right behind a request is taken for a half-close. */
	static const struct timeval late = { 0, 25000 };
	struct stage *st = arg;

	(void)f;
	buf_add(&st->body, p, n);
	if (st->is_leaving)
		evtimer_add(st->leave, &late);
}

static void
on_leave(evutil_socket_t fd, short what, void *arg)
{
	struct stage *st = arg;

	(void)fd;
	(void)what;
	fetch_cancel(st->asking);
	st->is_over = true;
}

static void
client_end(struct fetch *f, void *arg)
{
	struct stage *st = arg;

	(void)f;
	st->is_over = true;
	loop_quit(st->loop);
}

static void
client_fail(struct fetch *f, enum fetch_fail fail, const char *text, void *arg)
{
	struct stage *st = arg;

	(void)text;
	st->is_cut = fail == FETCH_FAIL_CUT;
	client_end(f, arg);
}

static const struct fetch_ops client_ops = { client_head, client_data,
	client_end, client_fail };

static void
on_watchdog(evutil_socket_t fd, short what, void *arg)
{
	struct stage *st = arg;

	(void)fd;
	(void)what;
	loop_quit(st->loop);
}

static void
ask_raw(struct stage *st, const char *method, const char *path,
    const char *metadata, const char *body)
{
	static const struct timeval limit = { 10, 0 };
	struct http1_field fields[] = { { "authorization", "Bearer secret" },
		{ "x-session-id", "s" }, st->extra,
		{ "x-tfy-metadata", metadata } };
	struct fetch_request r = { .method = method,
		.target = path,
		.fields = fields,
		.nfields = metadata ? 4 : 3,
		.body = body,
		.body_bytes = strlen(body),
		.has_body = *body != '\0' };

	serve_address(st->gate.front, &r.addr);
	buf_clear(&st->head);
	buf_clear(&st->body);
	buf_adds(&st->head, "\n");
	buf_adds(&st->body, "\n");
	st->status = 0;
	st->is_over = st->is_cut = false;
	st->asking = fetch_start(st->pool, &r, &client_ops, st);
	evtimer_add(st->watchdog, &limit);
	loop_run(st->loop);
	evtimer_del(st->watchdog);
	CHECK(st->is_over, "the client got an end");
}

static void
ask(struct stage *st, const char *model, bool stream, const char *metadata)
{
	char body[512];

	snprintf(body, sizeof body,
	    "{\"messages\":[],\"model\":\"%s\",\"stream\":%s,\"x\":{\"y\":[1]}"
	    "}",
	    model, stream ? "true" : "false");
	ask_raw(st, "POST", "/v1/chat/completions", metadata, body);
}

/* ---- the stage */

static const char conf_text[] =
    "providers:\n"
    "  - {name: p, base_url: 'http://127.0.0.1:%u/v1', api_key_env: "
    "KF_TEST_KEY}\n"
    "  - {name: dead, base_url: 'http://127.0.0.1:%u'}\n"
    "%s\n"
    "timeouts: {first_token_ms: 60, idle_ms: 60, total_ms: 2000}\n"
    "---\n"
    "name: conf\n"
    "type: gateway-load-balancing-config\n"
    "rules:\n";

/* One rule a model: NAME asks p/NAME, then p/good. */
static void
put_rules(struct buf *b)
{
	static const char *const alone[] = { "always503", "says400", "quota",
		"html503", "html200", "text500", "cutjson", "emptybody",
		"nothing", "error200", "close", "cut1", "silent" };
	char list[512] = "";

	for (size_t i = 0; i < sizeof alone / sizeof alone[0]; i++)
		snprintf(list + strlen(list), sizeof list - strlen(list),
		    "%salone-%s", i ? ", " : "", alone[i]);
	for (size_t i = 0; i < NSCENES; i++)
		buf_addf(b,
		    "  - id: r-%s\n    type: priority-based-routing\n"
		    "    when: {models: [%s]}\n    load_balance_targets:\n"
		    "      - {target: p/%s, priority: 0, retry_config: "
		    "{attempts: 1, delay: 1}, override_params: {seed: 7}}\n"
		    "      - {target: p/%s, priority: 1}\n"
		    "  - id: a-%s\n    type: priority-based-routing\n"
		    "    when: {models: [alone-%s]}\n    load_balance_targets: "
		    "[{target: p/%s, retry_config: {attempts: 1, delay: 1}}]\n",
		    scenes[i].model, scenes[i].model, scenes[i].model,
		    scenes[i].play >= EVENTS && scenes[i].play < SILENT
		        ? "stream"
		        : "good",
		    scenes[i].model, scenes[i].model, scenes[i].model);
	buf_adds(b,
	    "  - id: dead\n    type: priority-based-routing\n"
	    "    when: {models: [dead]}\n    load_balance_targets: [{target: "
	    "dead/x, retry_config: {attempts: 1, delay: 1}}]\n"
	    "  - id: pro\n    type: priority-based-routing\n"
	    "    when: {models: [flash], metadata: {escalate: pro}}\n"
	    "    load_balance_targets: [{target: p/pro}]\n"
	    "  - id: flash\n    type: priority-based-routing\n"
	    "    when: {models: [flash]}\n"
	    "    load_balance_targets: [{target: p/flash}]\n");
}

static bool
stage_open(struct stage *st, const char *settings)
{
	static const struct loop_ops ops = { NULL, NULL };
	struct serve_conf up = { .listen = { "127.0.0.1", 0 } };
	struct gate_options o = { .listen = { "127.0.0.1", 0 },
		.admin = { "127.0.0.1", 0 } };
	char *path = files_join(unit_tmpdir(), "conf.yaml");
	char *log = files_join(unit_tmpdir(), "gateway.jsonl");
	struct addr a;
	struct buf b;
	struct why why = { "" };
	bool ok;

	memset(st, 0, sizeof *st);
	st->extra = (struct http1_field){ "x-extra", "none" };
	setenv("KF_TEST_KEY", "k", 1);
	buf_init(&st->head, 65536);
	buf_init(&st->body, 65536);
	buf_init(&b, 65536);
	st->loop = loop_new(&ops, st);
	st->pool = fetch_pool_new(st->loop, NULL);
	st->watchdog = evtimer_new(loop_base(st->loop), on_watchdog, st);
	st->leave = evtimer_new(loop_base(st->loop), on_leave, st);
	st->later = evtimer_new(loop_base(st->loop), on_later, st);
	serve_new(st->loop, &up, &upstream_ops, st, &st->upstream, NULL);
	serve_address(st->upstream, &a);
	buf_addf(&b, conf_text, a.port, 1U, settings);
	put_rules(&b);
	files_write(path, b.data, b.len, NULL);
	o.conf_path = path;
	o.log_path = log;
	ok = gate_open(&st->gate, st->loop, &o, &why) == ERR_OK;
	CHECK_STR(ok ? "" : why.text, "", "the gateway opens");
	buf_done(&b);
	st->conf_path = path;
	free(log);
	return ok;
}

static void
stage_close(struct stage *st)
{
	gate_close(&st->gate);
	serve_free(st->upstream);
	fetch_pool_free(st->pool);
	event_free(st->watchdog);
	event_free(st->later);
	event_free(st->leave);
	loop_free(st->loop);
	free(st->conf_path);
	buf_done(&st->head);
	buf_done(&st->body);
}

/* ---- the rows */

/* clang-format off */
static const struct row {
	const char *what, *model;
	int status;
	bool stream;
	bool cut;		    /* the client sees a broken end */
	const char *body, *lacks;   /* parts of the answer; NULL: any */
	const char *tries;	    /* causes in x-kf-attempts, in order */
} rows[] = {
	{ "a plain answer",              "good", 200, false, false, "\"reasoning_content\":\"r\"", NULL, "ok" },
	{ "a 503 once is retried",       "once503", 200, false, false, "hi", NULL, "status ok" },
	{ "a 503 always falls back",     "always503", 200, false, false, "hi", NULL, "status status ok" },
	{ "and is told when alone",      "alone-always503", 503, false, false, "upstream says no", NULL, "status status" },
	{ "a 400 is the client's",       "says400", 400, false, false, "upstream says no", NULL, "status" },
	{ "a 401 falls at once",         "says401", 200, false, false, "hi", NULL, "status ok" },
	{ "a 418 fails at once",         "says418", 418, false, false, "upstream says no", NULL, "status" },
	{ "no quota falls at once",      "quota", 200, false, false, "hi", NULL, "quota ok" },
	{ "no quota alone is told",      "alone-quota", 429, false, false, "no money", NULL, "quota" },
	{ "HTML becomes a 502",          "alone-html503", 502, false, false, "<html>", "down", "status status" },
	{ "HTML under 200 too",          "alone-html200", 502, false, false, "<html>", "hello", "not-json not-json" },
	{ "text keeps its status",       "alone-text500", 500, false, false, "upstream_500", NULL, "status status" },
	{ "cut JSON",                    "alone-cutjson", 502, false, false, "not-json", NULL, "not-json not-json" },
	{ "an empty body",               "alone-emptybody", 502, false, false, "not-json", NULL, "not-json not-json" },
	{ "an empty completion",         "alone-nothing", 502, false, false, "empty completion", NULL, "empty empty" },
	{ "an empty completion once",    "nothing1", 200, false, false, "hi", NULL, "empty ok" },
	{ "an error under 200",          "alone-error200", 502, false, false, "upstream says no", NULL, "stream-error stream-error" },
	{ "nobody listens",              "dead", 502, false, false, "refused the connection", NULL, "refused refused" },
	{ "closed without an answer",    "alone-close", 502, false, false, "without an answer", NULL, "no-answer no-answer" },
	{ "closed once",                 "close1", 200, false, false, "hi", NULL, "no-answer ok" },
	{ "a stream",                    "stream", 200, true, false, WORD WORD STOP ": x-kf-attempts", "error", "open" },
	{ "a stream without [DONE]",     "nodone", 200, true, false, DONE, "error", "open" },
	{ "a stream without an end",     "nofinish", 200, true, true, "unfinished", DONE, "open" },
	{ "cut before the first word",   "cut0", 200, true, false, DONE, "error", "cut cut open" },
	{ "cut after it",                "cut1", 200, true, true, "\"code\":\"cut\"", DONE, "open" },
	{ "reset after it",              "reset1", 200, true, true, "data: {\"error\"", DONE, "open" },
	{ "stalled before it",           "stall0", 200, true, false, DONE, "error", "first-token open" },
	{ "stalled after it",            "stall1", 200, true, true, "\"code\":\"idle\"", DONE, "open" },
	{ "silent",                      "silent", 502, true, false, "did not answer with a stream", NULL, "first-token not-stream not-stream not-stream" },
	{ "silent alone",                "alone-silent", 408, true, false, "no token in time", NULL, "first-token" },
	{ "an error event first",        "error0", 200, true, false, DONE, "upstream says no", "stream-error stream-error open" },
	{ "an error event beside the first word", "errorword", 200, true, false, DONE, "upstream says no", "stream-error stream-error open" },
	{ "an error event later",        "error1", 200, true, true, "upstream says no", DONE, "open" },
	{ "bad JSON later",              "badjson1", 200, true, true, "\"code\":\"not-json\"", DONE, "open" },
	{ "a stream of nothing",         "voidstream", 200, true, false, WORD, "error", "empty empty open" },
	{ "JSON for a stream",           "alone-html200", 502, true, false, "<html>", NULL, "not-json not-json" },
	{ "no such model",               "nope", 404, false, false, "model_not_found", NULL, "" },
};
/* clang-format on */

/* The causes named in x-kf-attempts, with spaces between. */
static void
tried(const struct stage *st, char *out, size_t size)
{
	const char *p = strstr(st->head.data, "\nx-kf-attempts: ");
	const char *end = p ? strchr(p + 1, '\n') : NULL;
	size_t used = 0;

	out[0] = '\0';
	while (p && (p = strstr(p, ";cause=")) && p < end) {
		p += 7;
		used += (size_t)snprintf(out + used, size - used, "%s%.*s",
		    used ? " " : "", (int)strcspn(p, ";"), p);
	}
}

static void
check_row(struct stage *st, const struct row *r)
{
	char causes[200];

	ask(st, r->model, r->stream, NULL);
	CHECK_INT(st->status, r->status, r->what);
	CHECK_INT(st->is_cut, r->cut, r->what);
	if (r->body && !CHECK(strstr(st->body.data, r->body), r->what))
		printf("    got: %s\n", st->body.data);
	if (r->lacks && !CHECK(!strstr(st->body.data, r->lacks), r->what))
		printf("    got: %s\n", st->body.data);
	tried(st, causes, sizeof causes);
	CHECK_STR(causes, r->tries, r->what);
	CHECK(strstr(st->head.data, "\nx-local-gateway: yes\n"), r->what);
	CHECK(strstr(st->head.data, "\nx-request-id: "), r->what);
}

static void
tells_the_truth(void)
{
	struct stage st;

	if (stage_open(&st, "breaker: off"))
		for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
			check_row(&st, &rows[i]);
	CHECK_INT(st.gate.ncalls, 0, "nothing is left in flight");
	stage_close(&st);
}

static void
rewrites_requests(void)
{
	struct stage st;

	if (!stage_open(&st, "breaker: off"))
		goto out;
	ask(&st, "flash", false, "{\"escalate\":\"pro\",\"op\":\"rope\"}");
	CHECK_STR(st.asked,
	    "{\"messages\":[],\"model\":\"pro\",\"stream\":false,\"x\":{\"y\":"
	    "[1]}}",
	    "only the model changes");
	CHECK(st.saw_key, "the provider's key is sent");
	CHECK(st.saw_session, "other headers pass");
	CHECK(strstr(st.head.data,
	          "\nx-tfy-routing: from=flash to=p/pro "
	          "reason=quality-escalation\n"),
	    "the escalation is told");
	CHECK(strstr(st.head.data, "\nx-tfy-resolved-model: p/pro\n"),
	    "so is the model");
	CHECK(strstr(st.head.data,
	          "\nx-tfy-metadata-echo: "
	          "{\"escalate\":\"pro\",\"op\":\"rope\"}\n"),
	    "the metadata comes back");
	CHECK(strstr(st.head.data, "\nx-tfy-applied-rules: pro\n"), "the rule");
	CHECK(strstr(st.head.data, "\nx-tfy-applied-configurations: conf\n"),
	    "the configuration");
	ask(&st, "flash", false, NULL);
	CHECK(strstr(st.head.data, "from=flash to=p/flash reason=configured"),
	    "configured");
	ask(&st, "always503", false, NULL);
	CHECK(strstr(st.head.data, "to=p/good reason=fallback"), "fallback");
	ask(&st, "good", false, NULL);
	CHECK(strstr(st.asked, "\"seed\":7"), "parameters are overridden");
	ask(&st, "dead/x", false, NULL);
	CHECK_INT(st.status, 502, "a direct target");
out:
	stage_close(&st);
}

static void
refuses_requests(void)
{
	static const struct {
		const char *what, *method, *path, *metadata, *body;
		int status;
		const char *says;
	} bad[] = {
		{ "an unknown path", "GET", "/nope", NULL, "", 404,
		    "unknown_path" },
		{ "a prefix alone", "GET", "/v1", NULL, "", 404,
		    "unknown_path" },
		{ "health is elsewhere", "GET", "/healthz", NULL, "", 404,
		    "unknown_path" },
		{ "the wrong method", "GET", "/v1/chat/completions", NULL, "",
		    405, "method_not_allowed" },
		{ "no body", "POST", "/chat/completions", NULL, "", 400,
		    "invalid_json" },
		{ "no JSON", "POST", "/api/llm/chat/completions", NULL, "{",
		    400, "invalid_json" },
		{ "no model", "POST", "/v1/chat/completions", NULL, "{\"a\":1}",
		    400, "invalid_model" },
		{ "a model that is none", "POST", "/v1/chat/completions", NULL,
		    "{\"model\":7}", 400, "invalid_model" },
		{ "a model with a line break", "POST", "/v1/chat/completions",
		    NULL, "{\"model\":\"a\\r\\nb: c\"}", 400, "invalid_model" },
		{ "metadata that is none", "POST", "/v1/chat/completions",
		    "{\"a\":[]}", "{\"model\":\"good\"}", 400,
		    "invalid_metadata" },
	};
	struct stage st;

	if (!stage_open(&st, "breaker: off"))
		goto out;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		ask_raw(&st, bad[i].method, bad[i].path, bad[i].metadata,
		    bad[i].body);
		CHECK_INT(st.status, bad[i].status, bad[i].what);
		CHECK(strstr(st.body.data, bad[i].says), bad[i].what);
		CHECK(strstr(st.body.data, "\"type\":\""), bad[i].what);
		CHECK(strstr(st.head.data, "\nx-local-gateway: yes\n"),
		    bad[i].what);
		CHECK(strstr(st.head.data, "\nx-request-id: "), bad[i].what);
	}
	ask_raw(&st, "GET", "/api/llm/models?x=1", NULL, "");
	CHECK_INT(st.status, 200, "models");
	CHECK(strstr(st.body.data, "\"id\":\"flash\""), "a rule's model");
	CHECK(strstr(st.body.data, "\"id\":\"p/good\""), "a target");
out:
	stage_close(&st);
}

static void
breaks_circuits(void)
{
	struct stage st;

	if (!stage_open(&st, "breaker: demo"))
		goto out;
	ask(&st, "alone-always503", false, NULL);
	CHECK_INT(st.status, 503, "two failures");
	st.asked[0] = '\0';
	ask(&st, "alone-always503", false, NULL);
	CHECK_INT(st.status, 503, "open");
	CHECK_STR(st.asked, "", "the upstream is not asked");
	CHECK(strstr(st.head.data, "\nretry-after: 8\n"), "when to come back");
	CHECK(strstr(st.body.data, "\"code\":\"breaker\""), "why");
	ask(&st, "always503", false, NULL);
	CHECK_INT(st.status, 200, "another target serves");
	CHECK(strstr(st.head.data, "to=p/good reason=breaker"), "and says so");
out:
	stage_close(&st);
}

static void
demotes_targets(void)
{
	struct stage st;

	if (!stage_open(&st, "breaker: truefoundry"))
		goto out;
	ask(&st, "always503", false, NULL);
	CHECK(strstr(st.head.data, "to=p/good reason=fallback"), "it fails");
	ask(&st, "always503", false, NULL);
	CHECK(strstr(st.head.data, "to=p/good reason=breaker"), "goes last");
	ask(&st, "alone-always503", false, NULL);
	CHECK(strstr(st.body.data, "upstream says no"), "but is asked alone");
out:
	stage_close(&st);
}

static void
holds_whole_streams(void)
{
	static const char *const broken[] = { "cut1", "stall1", "error1",
		"badjson1", "nofinish" };
	struct stage st;

	if (!stage_open(&st,
	        "breaker: off\nbuffer: {max_bytes: 65536, "
	        "max_ms: 10000}"))
		goto out;
	for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
		ask(&st, broken[i], true, NULL);
		CHECK_INT(st.status, 200, broken[i]);
		CHECK(!st.is_cut, broken[i]);
		CHECK(strstr(st.body.data, DONE), broken[i]);
		CHECK(!strstr(st.body.data, "error\""), broken[i]);
		CHECK(strstr(st.head.data, "reason=fallback"), broken[i]);
	}
out:
	stage_close(&st);
}

static void
obeys_wishes(void)
{
	struct stage st;
	char causes[200];

	if (!stage_open(&st, "breaker: off"))
		goto out;
	st.extra = (struct http1_field){ "x-stainless-retry-count", "1" };
	ask(&st, "alone-always503", false, NULL);
	tried(&st, causes, sizeof causes);
	CHECK_STR(causes, "status", "what the client repeats we do not");
	st.extra = (struct http1_field){ "x-tfy-retry-config",
		"{\"attempts\":3,\"delay\":1,\"on_status_codes\":[\"418\"]}" };
	ask(&st, "says418", false, NULL);
	tried(&st, causes, sizeof causes);
	CHECK_STR(causes, "status status status status", "its own retries");
	st.extra.value = "{\"attempts\":\"many\"}";
	ask(&st, "good", false, NULL);
	CHECK_INT(st.status, 400, "nonsense");
	st.extra = (struct http1_field){ "x-tfy-request-timeout", "30" };
	ask(&st, "silent", false, NULL);
	CHECK_INT(st.status, 504, "its deadline");
	CHECK(strstr(st.body.data, "\"code\":\"deadline\""), "is told");
	st.extra = (struct http1_field){ "x-tfy-ttft-timeout-ms", "20" };
	ask(&st, "silent", false, NULL);
	CHECK_INT(st.status, 200, "its patience");
	tried(&st, causes, sizeof causes);
	CHECK_STR(causes, "first-token ok", "leads to the next target");
out:
	stage_close(&st);
}

static void
counts_costs(void)
{
	struct stage st;
	struct buf b;

	if (!stage_open(&st,
	        "breaker: off\nprices: [{target: p/good, input: 1, "
	        "output: 2}, {target: p/pro, input: 10, output: "
	        "20}]\ncounterfactual: {primary: p/good, "
	        "escalation: p/pro}"))
		goto out;
	ask(&st, "good", false, NULL);
	CHECK(strstr(st.head.data, ";in=3;out=2;cost=0.000007000"), "a header");
	ask(&st, "usage", true, NULL);
	CHECK(strstr(st.asked, "\"stream_options\":{\"include_usage\":true}"),
	    "usage is asked for");
	CHECK(!strstr(st.body.data, "prompt_tokens"), "and taken out again");
	CHECK(strstr(st.body.data, ";in=7;out=9"), "but counted");
	ask_raw(&st, "POST", "/v1/chat/completions", NULL,
	    "{\"model\":\"usage\",\"stream\":true,\"stream_options\":{"
	    "\"include_usage\":true}}");
	CHECK(strstr(st.body.data, "prompt_tokens"), "who asks gets it");
	buf_init(&b, 1 << 20);
	metrics_print(&st.gate, &b);
	CHECK(strstr(b.data,
	          "kf_gateway_cost_usd_total{target=\"p/good\"} "
	          "0.000007000\n"),
	    "the sum");
	CHECK(strstr(b.data, "route=\"primary\"} 0.000057000\n"),
	    "all on the primary");
	CHECK(strstr(b.data, "route=\"escalation\"} 0.000570000\n"),
	    "all on the escalation");
	CHECK(strstr(b.data,
	          "gen_ai_client_token_usage_sum{gen_ai_operation_"
	          "name=\"chat\",gen_ai_response_model=\"p/"
	          "usage\",gen_ai_token_type=\"input\"} 14\n"),
	    "tokens by model");
	buf_done(&b);
out:
	stage_close(&st);
}

static void
limits_and_asks_for_keys(void)
{
	static const char settings[] =
	    "breaker: off\n"
	    "keys: [{key_env: KF_TEST_ANN, subject: 'user:ann'}, {key_env: "
	    "KF_TEST_BOB, subject: 'user:bob'}]\n"
	    "prices: [{target: p/good, input: 1000, output: 1000}]\n"
	    "---\n"
	    "type: gateway-rate-limiting-config\n"
	    "rules: [{id: two-a-day, when: {models: [dead]}, limit_to: 2, "
	    "unit: requests_per_day, rate_limit_applies_per: [user]}]\n"
	    "---\n"
	    "type: gateway-budget-config\n"
	    "rules: [{id: purse, when: {models: [good]}, limit_to: 0.001, "
	    "unit: cost_per_day}]\n"
	    "---";
	static const int want[] = { 502, 502, 429, 429 };
	struct stage st;

	setenv("KF_TEST_ANN", "ann's", 1);
	setenv("KF_TEST_BOB", "secret", 1);
	if (!stage_open(&st, settings))
		goto out;
	for (size_t i = 0; i < 4; i++) {
		ask(&st, "dead", false, NULL);
		CHECK_INT(st.status, want[i], "two a day");
	}
	CHECK(strstr(st.body.data, "the limit two-a-day"), "which limit");
	CHECK(strstr(st.head.data, "\nretry-after: "), "and until when");
	ask(&st, "good", false, NULL);
	CHECK_INT(st.status, 200, "the first is let in");
	ask(&st, "good", false, NULL);
	CHECK_INT(st.status, 429, "the purse is empty");
	CHECK(strstr(st.head.data, "\nx-should-retry: false\n"),
	    "do not retry");
	setenv("KF_TEST_BOB", "other", 1);
	gate_reload(&st.gate, NULL);
	ask(&st, "good", false, NULL);
	CHECK_INT(st.status, 401, "a key that is not known");
	CHECK(strstr(st.body.data, "invalid_api_key"), "is said");
out:
	stage_close(&st);
}

static void
escalates_for_quality(void)
{
	static const char settings[] =
	    "breaker: off\n"
	    "rules:\n"
	    "  - {id: want-json, type: priority-based-routing, when: {models: "
	    "[json]}, validators: [{type: keys, keys: [a]}], escalation: "
	    "{target: p/better}, load_balance_targets: [{target: p/good}]}\n"
	    "  - {id: shadow, type: priority-based-routing, when: {models: "
	    "[shadow]}, validators: [{type: regex, pattern: 'b+c'}], "
	    "escalation: {target: p/better, shadow: true}, "
	    "load_balance_targets: [{target: p/good}]}\n"
	    "  - {id: streams, type: priority-based-routing, when: {models: "
	    "[streams]}, validators: [{type: regex, pattern: '^b'}], "
	    "escalation: {target: p/stream}, load_balance_targets: [{target: "
	    "p/slow}]}\n"
	    "  - {id: poor, type: priority-based-routing, when: {models: "
	    "[poor]}, validators: [{type: keys, keys: [a]}], escalation: "
	    "{target: p/better, max_usd_per_request: 0.000001}, "
	    "load_balance_targets: [{target: p/good}]}\n"
	    "prices: [{target: p/better, input: 1000, output: 1000}]\n"
	    "---";
	struct stage st;
	char causes[200];

	if (!stage_open(&st, settings))
		goto out;
	ask(&st, "json", false, NULL);
	tried(&st, causes, sizeof causes);
	CHECK_STR(causes, "quality ok", "no JSON: a better target");
	CHECK(strstr(st.head.data, "to=p/better reason=quality-escalation"),
	    "and said so");
	CHECK(strstr(st.body.data, "\\\"a\\\":1"), "its answer");
	ask(&st, "shadow", false, NULL);
	tried(&st, causes, sizeof causes);
	CHECK_STR(causes, "ok", "a shadow only looks");
	ask(&st, "streams", true, NULL);
	tried(&st, causes, sizeof causes);
	CHECK_STR(causes, "quality open", "a stream is held and judged");
	CHECK(strstr(st.body.data, WORD WORD STOP), "the other one passes");
	CHECK(!st.is_cut, "whole");
	ask(&st, "poor", false, NULL);
	tried(&st, causes, sizeof causes);
	CHECK_STR(causes, "ok", "no money, no escalation");
	CHECK_INT(st.gate.stats.rejected, 4, "all were counted");
out:
	stage_close(&st);
}

static void
on_stop_timer(evutil_socket_t fd, short what, void *arg)
{
	struct stage *st = arg;

	(void)fd;
	(void)what;
	gate_stop(&st->gate);
}

static void
drains(void)
{
	static const struct timeval soon = { 0, 3000 };
	struct stage st;
	struct event *timer;

	if (!stage_open(&st, "breaker: off"))
		goto out;
	timer = evtimer_new(loop_base(st.loop), on_stop_timer, &st);
	evtimer_add(timer, &soon);
	ask(&st, "slow", true, NULL);
	CHECK(st.gate.is_draining, "it was told to stop on the way");
	CHECK_INT(st.status, 200, "what is in flight");
	CHECK(strstr(st.body.data, DONE), "is finished");
	loop_run(st.loop);
	ask(&st, "good", false, NULL);
	CHECK_INT(st.status, 0, "nobody new is let in");
	event_free(timer);
out:
	stage_close(&st);
}

static void
cancels_for_lost_clients(void)
{
	struct stage st;
	char *path = files_join(unit_tmpdir(), "gateway.jsonl"), *text = NULL;

	if (stage_open(&st, "breaker: off")) {
		st.is_leaving = true;
		ask(&st, "stall1", true, NULL);
		CHECK(st.saw_gone, "the upstream is cancelled at once");
		CHECK_INT(st.gate.ncalls, 0, "the call has ended");
	}
	stage_close(&st);
	files_read(path, 65536, &text, NULL, NULL);
	CHECK(text &&
	        strstr(text, "\"status\":499,\"outcome\":\"client-gone\""),
	    "499 in the log");
	CHECK(text && strstr(text, "\"tokens_out\":1,\"estimated\":true"),
	    "what came is billed as estimated");
	free(text);
	free(path);
}

static void
logs_decisions(void)
{
	struct stage st;
	char *path = files_join(unit_tmpdir(), "gateway.jsonl"), *text = NULL;

	if (stage_open(&st, "breaker: off")) {
		ask(&st, "once503", false, "op=rope;iteration=2;secret=xyz");
		ask(&st, "cut1", true, NULL);
	}
	stage_close(&st);
	if (CHECK_INT(files_read(path, 65536, &text, NULL, NULL), ERR_OK,
	        "there is a log")) {
		CHECK(strstr(text,
		          "\"op\":\"rope\",\"iteration\":\"2\","
		          "\"from\":\"once503\""),
		    "what was asked");
		CHECK(strstr(text,
		          "\"rule\":\"r-once503\",\"target\":\"p/"
		          "once503\",\"model\":\"once503\",\"reason\":"
		          "\"configured\",\"status\":200"),
		    "what was decided");
		CHECK(strstr(text, "\"cause\":\"status\",\"status\":503"),
		    "how it went");
		CHECK(strstr(text, "\"outcome\":\"cut\""), "a cut stream");
		CHECK(!strstr(text, "xyz") && !strstr(text, "Bearer"),
		    "no secrets");
	}
	free(text);
	free(path);
}

void t_call(void);

void
t_call(void)
{
	tells_the_truth();
	rewrites_requests();
	refuses_requests();
	breaks_circuits();
	demotes_targets();
	holds_whole_streams();
	obeys_wishes();
	counts_costs();
	limits_and_asks_for_keys();
	escalates_for_quality();
	drains();
	cancels_for_lost_clients();
	logs_decisions();
}
