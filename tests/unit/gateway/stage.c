/* The scenes of the upstream by table: a new way to misbehave is a row. */
#include "tests/unit/gateway/stage.h"

#include "base/files.h"
#include "gateway/text/request_peek.h"
#include "tests/unit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SOON_US  (40 * US_PER_MS)
#define LATE_US  (25 * US_PER_MS)
#define LIMIT_US (10 * US_PER_S) /* of a patience, as are the others */

#define PATIENCE_MS    150
#define TOTAL_PATIENCE 14 /* patiences that a request may take */

long
stage_patience_ms(void)
{
	static long patience;
	double load;

	/* Once: what a test has written down must not change under it. */
	if (!patience)
		patience = getloadavg(&load, 1) == 1 && load > 2
		    ? (long)(PATIENCE_MS * load / 2)
		    : PATIENCE_MS;
	return patience;
}

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

#define GOOD                                                                   \
	"{\"choices\":[{\"message\":{\"content\":\"hi\",\"reasoning_"          \
	"content\":\"r\"},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_"   \
	"tokens\":3,\"completion_tokens\":2}}"
#define NOTHING                                                                \
	"{\"choices\":[{\"message\":{\"content\":\"\"},\"finish_reason\":"     \
	"\"stop\"}]}"
#define GONE(code) "{\"error\":{\"message\":\"m\",\"code\":\"" code "\"}}"
#define OVERLOAD                                                               \
	"{\"choices\":[{\"message\":{\"content\":\"h\"},\"finish_reason\":"    \
	"\"insufficient_system_resource\"}]}"
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
	{ "final",      WHOLE,  503, WRONG, 0 },
	{ "says400",    WHOLE,  400, WRONG, 0 },
	{ "says401",    WHOLE,  401, WRONG, 0 },
	{ "says418",    WHOLE,  418, WRONG, 0 },
	{ "says999",    WHOLE,  999, "oops", 0 },
	{ "quota",      WHOLE,  429, QUOTA, 0 },
	{ "html503",    WHOLE,  503, "<html>\n<b>down</b>", 0 },
	{ "html200",    WHOLE,  200, "<html>\n<b>hello</b>", 0 },
	{ "text500",    WHOLE,  500, "oops", 0 },
	{ "cutjson",    WHOLE,  200, "{\"choices\":[{\"mess", 0 },
	{ "emptybody",  WHOLE,  200, "", 0 },
	{ "quota2",     WHOLE,  429, GONE("billing_hard_limit_reached"), 0 },
	{ "quota3",     WHOLE,  429, GONE("quota_exceeded"), 0 },
	{ "quota4",     WHOLE,  429, GONE("insufficient_balance"), 0 },
	{ "quota5",     WHOLE,  429, GONE("billing_not_active"), 0 },
	{ "busy",       WHOLE,  429, WRONG, 0 },
	{ "busy20",     WHOLE,  429, WRONG, 0 },
	{ "busyms",     WHOLE,  429, WRONG, 0 },
	{ "overload",   WHOLE,  200, OVERLOAD, 0 },
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
	{ "drips",      EVENTS, 200, ROLE WORD THEN WORD STOP DONE, 0 },
	{ "late",       EVENTS, 200, ROLE THEN WORD STOP DONE, 0 },
	{ "blanks",     STALL,  200, "\n \n", 0 },
	{ "stall0",     STALL,  200, ROLE ": keep-alive\n\n", 0 },
	{ "dangles",    STALL,  200, ROLE WORD STOP DONE, 0 },
	{ "stall1",     STALL,  200, ROLE WORD, 0 },
	{ "error0",     EVENTS, 200, "data: " WRONG "\n\n", 0 },
	{ "errorword",  EVENTS, 200, ROLE WORD "data: " WRONG "\n\n", 0 },
	{ "error1",     EVENTS, 200, ROLE WORD THEN "data: " WRONG "\n\n", 0 },
	{ "badjson1",   EVENTS, 200, ROLE WORD THEN "data: {\"cho\n\n", 0 },
	{ "usage",      EVENTS, 200, ROLE WORD STOP "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":9}}\n\n" DONE, 0 },
	{ "voidstream", EVENTS, 200, ROLE STOP DONE, 0 },
};
/* clang-format on */

/* What else a scene's head says. */
static const struct {
	const char *model;
	struct http1_field field;
} heads[] = {
	{ "busy20", { "Retry-After", "20" } },
	{ "busyms", { "retry-after-ms", "3" } },
	{ "final", { "X-Should-Retry", "false" } },
};

#define NSCENES COUNT(scenes)

_Static_assert(NSCENES <= STAGE_SCENES_MAX, "played[] holds a count each");

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
play_whole(struct serve_call *sc, const struct scene *scene)
{
	struct http1_field fields[2] = { json_content };
	size_t n = 1;

	for (size_t i = 0; i < COUNT(heads); i++)
		if (strcmp(heads[i].model, scene->model) == 0)
			fields[n++] = heads[i].field;
	serve_answer(sc, scene->status, fields, n, scene->text,
	    strlen(scene->text));
}

static void
play_scene(struct stage *st, struct serve_call *sc, const struct scene *scene)
{
	size_t n;

	if (scene->play == SILENT)
		return;
	if (scene->play == CLOSE) {
		serve_abort(sc, SERVE_END_FIN);
		return;
	}
	if (scene->play == WHOLE) {
		play_whole(sc, scene);
		return;
	}
	serve_start(sc, scene->status, &event_content, 1);
	n = strcspn(scene->text, THEN);
	serve_write(sc, scene->text, n);
	st->playing = sc;
	st->scene = scene;
	if (scene->text[n])
		loop_arm(st->later, SOON_US);
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
	void (*on_asked)(struct stage *) = st->on_asked;
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
	st->on_asked = NULL;
	if (on_asked)
		on_asked(st);
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
	struct stage *st = arg;

	(void)f;
	buf_add(&st->body, p, n);
	if (st->is_leaving)
		/* A FIN right behind a request is taken for a half-close. */
		loop_arm(st->leave, LATE_US);
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

static const struct fetch_ops client_ops = { .on_head = client_head,
	.on_data = client_data,
	.on_end = client_end,
	.on_fail = client_fail };

static void
on_watchdog(evutil_socket_t fd, short what, void *arg)
{
	struct stage *st = arg;

	(void)fd;
	(void)what;
	loop_quit(st->loop);
}

void
stage_ask_raw(struct stage *st, const char *method, const char *path,
    const char *metadata, const char *body)
{
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
	loop_arm(st->watchdog,
	    LIMIT_US / PATIENCE_MS * (uint64_t)stage_patience_ms());
	loop_run(st->loop);
	evtimer_del(st->watchdog);
	CHECK(st->is_over, "the client got an end");
}

void
stage_ask(struct stage *st, const char *model, bool stream,
    const char *metadata)
{
	char body[512];

	snprintf(body, sizeof body,
	    "{\"messages\":[],\"model\":\"%s\",\"stream\":%s,\"x\":{\"y\":[1]}"
	    "}",
	    model, stream ? "true" : "false");
	stage_ask_raw(st, "POST", "/v1/chat/completions", metadata, body);
}

/* ---- the stage */

static const char conf_text[] =
    "providers:\n"
    "  - {name: p, base_url: 'http://127.0.0.1:%u/v1', api_key_env: "
    "KF_TEST_KEY, forward_headers: [x-session-id]}\n"
    "  - {name: dead, base_url: 'http://127.0.0.1:%u'}\n"
    "%s\n"
    "timeouts: {first_token_ms: %ld, idle_ms: %ld, total_ms: %ld}\n"
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
		"nothing", "error200", "close", "cut1", "silent", "busyms",
		"overload" };
	char list[512] = "";

	for (size_t i = 0; i < COUNT(alone); i++)
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

bool
stage_open(struct stage *st, const char *settings)
{
	static const struct loop_ops ops = { NULL, NULL };
	struct serve_conf up = { .listen = { "127.0.0.1", 0 } };
	struct service_options o = { .listen = { "127.0.0.1", 0 },
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
	buf_addf(&b, conf_text, a.port, 1U, settings, stage_patience_ms(),
	    stage_patience_ms(), TOTAL_PATIENCE * stage_patience_ms());
	put_rules(&b);
	files_write(path, b.data, b.len, NULL);
	o.conf_path = path;
	o.log_path = log;
	ok = service_open(&st->gate, st->loop, &o, &why) == ERR_OK;
	CHECK_STR(ok ? "" : why.text, "", "the gateway opens");
	buf_done(&b);
	st->conf_path = path;
	free(log);
	return ok;
}

void
stage_close(struct stage *st)
{
	service_close(&st->gate);
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

/* ---- what it was */

void
stage_tried(const struct stage *st, char *out, size_t size)
{
	const char *p = strstr(st->head.data, "\nx-kf-attempts: ");
	const char *end = p ? strchr(p + 1, '\n') : NULL;
	size_t used = 0;

	out[0] = '\0';
	if (!p)
		return;
	while ((p = strstr(p, ";cause=")) != NULL && p < end) {
		p += 7;
		used += (size_t)snprintf(out + used, size - used, "%s%.*s",
		    used ? " " : "", (int)strcspn(p, ";"), p);
	}
}
