/*
 * A question and its attempts.
 *
 *	prepare -> attempt -> classify --good, or nothing more to try--> end
 *	classify --model_retry_decide: again--> wait -> attempt
 *
 * classify is the one place that knows what a transfer's end means; the
 * policy knows no curl and the wire knows no policy.
 */
#include "agent/model/model.h"

#include "agent/model/attempt_cost.h"
#include "agent/model/model_retry.h"
#include "agent/model/model_wire.h"
#include "agent/text/claim_filter.h"
#include "agent/text/model_name.h"
#include "base/addr.h"
#include "base/clock.h"
#include "base/digest.h"
#include "base/mask.h"
#include "base/mem.h"
#include "base/opts.h"
#include "base/retryafter.h"
#include "base/stop.h"
#include "base/units.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#define MODEL_DEADLINE_MS 300000
#define MODEL_IDLE_MS     60000
#define MODEL_CONNECT_MS  5000

/* A resolver's two, and a socket of each family. */
#define DESCRIPTORS_A_QUESTION 4

struct model {
	struct model_conf conf;
	CURL *curl;        /* owned */
	char *url;         /* owned: of chat completions */
	bool is_here;      /* it is this machine's: no proxy is between */
	bool is_uncounted; /* who answers streams knows no stream_options */
};

/* What an attempt's end means. */
struct verdict {
	bool good, unreachable;
	struct model_retry_facts facts;
	char class[64], text[MODEL_TEXT_MAX];
};

static void classify(uint32_t deadline_ms, const struct model *m,
    struct model_wire *w, CURLcode code, struct verdict *v);

static bool
has_suffix(const char *s, const char *suffix)
{
	size_t n = strlen(s), k = strlen(suffix);

	return n >= k && strcmp(s + n - k, suffix) == 0;
}

static enum err
check(const char *base_url, const char *key, struct url *ret, struct why *why)
{
	enum err e = url_parse(base_url, ret, why);

	if (e != ERR_OK)
		return why_prefix(why, e, "gateway");
	/* It would end the header, and what follows would be one of its own. */
	if (key[strcspn(key, "\r\n")])
		return why_set(why, ERR_SYNTAX,
		    "the gateway's key holds a line break");
	return ERR_OK;
}

enum err
model_check(const char *base_url, const char *key, struct why *why)
{
	struct url url;

	return check(base_url, key, &url, why);
}

enum err
model_new(const struct model_conf *conf, struct model **ret, struct why *why)
{
	struct model *m;
	struct url url;
	const char *v1;
	int n = (int)strlen(conf->base_url);
	enum err e = check(conf->base_url, conf->key, &url, why);

	if (e != ERR_OK)
		return e;
	while (n > 0 && conf->base_url[n - 1] == '/')
		n--;
	/* Some name the root and some the API, as the SDKs of the field want
	 * it; both are understood. */
	v1 = has_suffix(url.path, "/v1") || has_suffix(url.path, "/api/llm")
	    ? ""
	    : "/v1";
	m = xcalloc(1, sizeof *m);
	m->conf = *conf;
	m->is_here = addr_is_loopback(&url.addr) ||
	    strcasecmp(url.addr.host, "localhost") == 0;
	if (!m->conf.deadline_ms)
		m->conf.deadline_ms = MODEL_DEADLINE_MS;
	if (!m->conf.idle_ms)
		m->conf.idle_ms = MODEL_IDLE_MS;
	if (!m->conf.retry)
		m->conf.retry = &model_retry_default;
	m->url = xasprintf("%.*s%s/chat/completions", n, conf->base_url, v1);
	m->curl = curl_easy_init();
	if (!m->curl) {
		model_free(m);
		return why_set(why, ERR_ENV, "libcurl does not start");
	}
	*ret = m;
	return ERR_OK;
}

void
model_free(struct model *m)
{
	if (!m)
		return;
	curl_easy_cleanup(m->curl);
	free(m->url);
	free(m);
}

void
model_answer_done(struct model_answer *a)
{
	if (!a)
		return;
	free(a->content);
	a->content = NULL;
}

static char *
question_metadata(const struct model *m, const struct model_question *q)
{
	char iteration[16];
	json_t *meta;
	char *text;

	(void)snprintf(iteration, sizeof iteration, "%u", q->iteration);
	meta = json_pack("{s:s, s:s, s:s, s:s}", "scenario", m->conf.scenario,
	    "role", q->role, "op", q->op, "iteration", iteration);
	if (q->escalate)
		json_object_set_new(meta, "escalate", json_string("pro"));
	text =
	    json_dumps(meta, JSON_COMPACT | JSON_SORT_KEYS | JSON_ENSURE_ASCII);
	json_decref(meta);
	return text;
}

static struct curl_slist *
add_header(struct curl_slist *list, const char *name, const char *value)
{
	char *line = xasprintf("%s: %s", name, value);

	list = curl_slist_append(list, line);
	free(line);
	return list;
}

static struct curl_slist *
question_head(const struct model *m, const struct model_question *q,
    unsigned retries, uint64_t left)
{
	char *meta = question_metadata(m, q);
	char *bearer = xasprintf("Bearer %s", m->conf.key);
	char *session = xasprintf("%s/%s/%u", q->role, q->op, q->iteration);
	char count[16], ms[24];
	struct curl_slist *list = NULL;

	(void)snprintf(count, sizeof count, "%u", retries);
	/* A little less than ours: who gives up says why, and is heard. */
	(void)snprintf(ms, sizeof ms, "%llu",
	    (unsigned long long)(left - left / 20));
	list = add_header(list, "Content-Type", "application/json");
	list = add_header(list, "Accept",
	    m->conf.stream ? "text/event-stream" : "application/json");
	list = add_header(list, "Authorization", bearer);
	list = add_header(list, "X-TFY-METADATA", meta);
	list = add_header(list, "x-session-id", session);
	list = add_header(list, "x-stainless-retry-count", count);
	list = add_header(list, "x-tfy-request-timeout", ms);
	/* Without this libcurl asks for 100 Continue before a large body and
	 * waits a second for servers that do not know it. */
	list = add_header(list, "Expect", "");
	free(meta);
	free(bearer);
	free(session);
	return list;
}

static char *
question_body(const struct model *m, const struct model_question *q)
{
	json_t *body = json_pack("{s:s, s:O, s:b, s:i}", "model",
	    q->model ? q->model : m->conf.model, "messages", q->messages,
	    "stream", m->conf.stream, "temperature", 0);
	char *text;

	/* Many servers count a stream's tokens only for who asks. */
	if (m->conf.stream && !m->is_uncounted)
		json_object_set_new(body, "stream_options",
		    json_pack("{s:b}", "include_usage", 1));
	if (m->conf.answer_tokens > 0)
		json_object_set_new(body, "max_tokens",
		    json_integer((json_int_t)m->conf.answer_tokens));
	text = json_dumps(body, JSON_COMPACT | JSON_SORT_KEYS);
	json_decref(body);
	return text;
}

static void
prepare(const struct model *m, const char *url, struct curl_slist *head)
{
	/* Options go, the connection stays open for the next attempt. */
	curl_easy_reset(m->curl);
	curl_easy_setopt(m->curl, CURLOPT_URL, url);
	curl_easy_setopt(m->curl, CURLOPT_HTTPHEADER, head);
	/* libcurl's timeout of name look-ups uses SIGALRM otherwise, which
	 * threads do not survive. */
	curl_easy_setopt(m->curl, CURLOPT_NOSIGNAL, 1L);
	/* NOPROXY would replace the environment's no_proxy, so it is left
	 * alone; "" is no proxy. */
	if (m->is_here)
		curl_easy_setopt(m->curl, CURLOPT_PROXY, "");
	/* A company's own authority, as other programs take it. */
	if (getenv("SSL_CERT_FILE"))
		curl_easy_setopt(m->curl, CURLOPT_CAINFO,
		    getenv("SSL_CERT_FILE"));
	curl_easy_setopt(m->curl, CURLOPT_CONNECTTIMEOUT_MS,
	    (long)MODEL_CONNECT_MS);
	curl_easy_setopt(m->curl, CURLOPT_HTTP_VERSION,
	    (long)CURL_HTTP_VERSION_1_1);
}

struct asking {
	struct model *m;
	const struct model_question *q;
	char *body;
	uint64_t start_us;
	uint32_t deadline_ms;
	unsigned attempts;
	unsigned calls; /* to providers */
};

static uint64_t
left_ms(const struct asking *a)
{
	uint64_t gone = (clock_mono_us() - a->start_us) / 1000;

	return gone < a->deadline_ms ? a->deadline_ms - gone : 1;
}

static const char *
asked_model(const struct asking *a)
{
	return a->q->model ? a->q->model : a->m->conf.model;
}

static void
count_cost(struct asking *a, const struct model_wire *w)
{
	struct attempt_cost cost = attempt_cost_of(w, strlen(a->body));

	a->calls += cost.calls;
	if (a->m->conf.on_cost)
		a->m->conf.on_cost(&cost, a->m->conf.arg);
}

static void
attempt(struct asking *a, struct model_wire *w, struct verdict *v)
{
	struct curl_slist *head =
	    question_head(a->m, a->q, a->attempts, left_ms(a));
	CURLcode code;

	prepare(a->m, a->m->url, head);
	curl_easy_setopt(a->m->curl, CURLOPT_POSTFIELDS, a->body);
	curl_easy_setopt(a->m->curl, CURLOPT_POSTFIELDSIZE_LARGE,
	    (curl_off_t)strlen(a->body));
	model_wire_init(w, a->m->curl, a->m->conf.idle_ms);
	w->first_ms = a->m->conf.first_ms;
	w->on_wait = a->m->conf.on_wait;
	w->arg = a->m->conf.arg;
	w->attempt = a->attempts + 1;
	w->model = asked_model(a);
	code = model_wire_perform(w, left_ms(a));
	curl_slist_free_all(head);
	a->attempts++;
	classify(a->deadline_ms, a->m, w, code, v);
	count_cost(a, w);
	v->facts.attempts = a->attempts;
	v->facts.calls = a->calls;
	v->facts.left_ms = left_ms(a);
	digest_random(&v->facts.random, sizeof v->facts.random);
}

static void __attribute__((format(printf, 4, 5))) set_verdict(struct verdict *v,
    enum model_retry_outcome outcome, const char *class, const char *fmt, ...)
{
	va_list ap;

	v->facts.outcome = outcome;
	(void)snprintf(v->class, sizeof v->class, "%s", class);
	va_start(ap, fmt);
	mask_vformat(v->text, sizeof v->text, fmt, ap);
	va_end(ap);
	model_wire_plain(v->text);
}

static void
classify_status(struct model_wire *w, struct verdict *v)
{
	char text[COMPLETION_WORDS_MAX] = "", class[32], *said;
	bool quota = false;

	if (w->body.len == 0 ||
	    !completion_error_text(w->body.data, w->body.len, text, sizeof text,
	        &quota))
		mask_format(text, sizeof text, "%.*s",
		    (int)strcspn(w->body.data ? w->body.data : "", "\r\n"),
		    w->body.data ? w->body.data : "");
	(void)snprintf(class, sizeof class, "http_%d", w->status);
	said = claim_quote(text, sizeof text);
	/* Whatever its status: OpenAI says 429, as of what will pass. */
	set_verdict(v, MODEL_RETRY_STATUS,
	    quota ? completion_fault_name(COMPLETION_QUOTA) : class,
	    "HTTP %d, in the server's words: %s", w->status, said);
	free(said);
	v->facts.status = w->status;
	v->facts.quota = quota;
}

/* Faults that the same question would meet again. */
static const bool final_faults[COMPLETION_NFAULTS] = {
	[COMPLETION_QUOTA] = true,
	[COMPLETION_LENGTH] = true,
	[COMPLETION_TOOBIG] = true,
};

static void
classify_answer(struct model_wire *w, struct verdict *v)
{
	enum completion_fault f;

	if (!w->sse && w->body.len > 0)
		completion_body(&w->answer, w->body.data, w->body.len);
	f = completion_end(&w->answer);
	v->good = f == COMPLETION_GOOD;
	v->facts.quota = f == COMPLETION_QUOTA;
	set_verdict(v, final_faults[f] ? MODEL_RETRY_FINAL : MODEL_RETRY_BROKEN,
	    completion_fault_name(f), "%s", w->answer.detail);
}

/* Had it been libcurl's turn to open a socket, and a resolver's pipes, could it?
 * It says of a socket that there was none to have that nobody answered. */
static bool
lacks_descriptors(void)
{
	int fds[DESCRIPTORS_A_QUESTION];
	size_t n = 0;
	bool lacks;

	while (n < COUNT(fds) &&
	    (fds[n] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) >= 0)
		n++;
	lacks = n < COUNT(fds) && (errno == EMFILE || errno == ENFILE);
	while (n > 0)
		(void)close(fds[--n]);
	return lacks;
}

static void
take_hints(const struct model_wire *w, struct model_retry_facts *f)
{
	f->should_retry = -1;
	if (strcmp(w->should_retry, "true") == 0)
		f->should_retry = 1;
	else if (strcmp(w->should_retry, "false") == 0)
		f->should_retry = 0;
	f->retry_after_ms = retryafter_ms(slice_of(w->retry_after_ms),
	    slice_of(w->retry_after), clock_wall_ms() / 1000);
}

/* Did the other side say that this was all? */
static bool
is_ended(const struct model_wire *w)
{
	return w->answer.done || *w->answer.finish;
}

static void
classify(uint32_t deadline_ms, const struct model *m, struct model_wire *w,
    CURLcode code, struct verdict *v)
{
	const char *said = *w->error ? w->error : curl_easy_strerror(code);

	*v = (struct verdict){ 0 };
	take_hints(w, &v->facts);
	if (w->stopped)
		set_verdict(v, MODEL_RETRY_STOPPED, "stopped", "stopped by %s",
		    stop_asked());
	else if (w->too_big)
		set_verdict(v, MODEL_RETRY_FINAL, "too_big",
		    "more bytes than an answer may have");
	else if (model_wire_is_unreachable(m->curl, code) &&
	    lacks_descriptors())
		set_verdict(v, MODEL_RETRY_FINAL, MODEL_LACKS_DESCRIPTORS,
		    "%s (see ulimit -n)", strerror(EMFILE));
	else if (model_wire_is_unreachable(m->curl, code)) {
		v->unreachable = true;
		set_verdict(v, MODEL_RETRY_CONNECT, "unreachable", "%s: %s",
		    m->conf.base_url, said);
	} else if (w->stalled)
		set_verdict(v, MODEL_RETRY_BROKEN, "stalled",
		    "no payload for %u ms", model_wire_idle_ms(w));
	/* An answer that was all said before the deadline is an answer, even if
	 * its connection lingered past it. */
	else if (code == CURLE_OPERATION_TIMEDOUT && !is_ended(w))
		set_verdict(v, MODEL_RETRY_FINAL, "deadline",
		    "no whole answer within %u ms", deadline_ms);
	else if (code != CURLE_OK && w->status / 100 != 2)
		set_verdict(v, MODEL_RETRY_BROKEN, "broken", "%s", said);
	else if (w->status / 100 != 2)
		classify_status(w, v);
	else if (code != CURLE_OK && !is_ended(w))
		set_verdict(v, MODEL_RETRY_BROKEN, "stream_cut", "%s", said);
	else
		classify_answer(w, v);
}

/* "direct" without a gateway's word, "other" for a word that is not ours. */
static const char *
route_reason(const char *routing)
{
	const char *said = strstr(routing, "reason=");

	if (!said)
		return "direct";
	said += strlen("reason=");
	return model_name_reason(said, strcspn(said, " ;,"));
}

/*
 * "PROVIDER/MODEL reason=REASON"; without a gateway's headers, the model.
 * The model is foreign and stays in the ledger, so it gets a checked alphabet.
 */
static void
route_text(const struct asking *a, const struct model_wire *w,
    char out[MODEL_TEXT_MAX])
{
	char *resolved =
	    claim_field(*w->resolved ? w->resolved : asked_model(a), 160);

	for (char *p = resolved; *p; p++)
		if (*p == ' ')
			*p = '?';
	(void)snprintf(out, MODEL_TEXT_MAX, "%.170s reason=%s", resolved,
	    route_reason(w->routing));
	free(resolved);
}

/* Older servers refuse an option that they do not know. */
static bool
leave_counts_out(struct asking *a, const struct verdict *v)
{
	if (a->m->is_uncounted || !a->m->conf.stream ||
	    (v->facts.status != 400 && v->facts.status != 422) ||
	    !strstr(v->text, "stream_options"))
		return false;
	a->m->is_uncounted = true;
	free(a->body);
	a->body = question_body(a->m, a->q);
	return true;
}

static bool
decide(struct asking *a, struct verdict *v, const struct model_wire *w,
    uint64_t start_us)
{
	struct model_attempt t = {
		.number = a->attempts,
		.start_us = start_us,
		.end_us = clock_mono_us(),
		.status = w->status,
		.outcome = v->class,
		.decision = "done",
	};
	bool again = !v->good && leave_counts_out(a, v);

	if (again)
		t.decision = "without stream_options";
	else if (!v->good)
		again = model_retry_decide(a->m->conf.retry, &v->facts,
		    &t.delay_ms, &t.decision);
	if (again && a->m->conf.may_retry &&
	    !a->m->conf.may_retry(a->m->conf.arg)) {
		again = false;
		t.decision = "a budget is used up";
	}
	t.retries = again;
	if (a->m->conf.on_attempt)
		a->m->conf.on_attempt(&t, a->m->conf.arg);
	if (again)
		stop_sleep(t.delay_ms);
	return again;
}

/* Control bytes have no use in a kernel, and six bytes each in a record. */
static char *
without_controls(char *content)
{
	for (char *p = content; *p; p++)
		if (((unsigned char)*p < 0x20 && !strchr("\t\n\r", *p)) ||
		    *p == 0x7f)
			*p = '?';
	mask_answer(content);
	return content;
}

static void
conclude(struct asking *a, const struct verdict *v, struct model_wire *w,
    struct model_answer *ret, struct model_failure *failure)
{
	if (v->good) {
		*ret = (struct model_answer){
			.content =
			    without_controls(buf_take(&w->answer.content)),
			.attempts = a->attempts,
		};
		route_text(a, w, ret->route);
		(void)snprintf(ret->request_id, sizeof ret->request_id, "%s",
		    w->request_id);
		(void)snprintf(ret->said_model, sizeof ret->said_model, "%s",
		    w->answer.model);
		return;
	}
	*failure = (struct model_failure){ .unreachable = v->unreachable };
	(void)snprintf(failure->class, sizeof failure->class, "%s", v->class);
	(void)snprintf(failure->text, sizeof failure->text, "%s", v->text);
	if (*w->resolved)
		route_text(a, w, failure->route);
}

enum err
model_ask(struct model *m, const struct model_question *q,
    struct model_answer *ret, struct model_failure *failure)
{
	struct asking a = {
		.m = m,
		.q = q,
		.start_us = clock_mono_us(),
		.deadline_ms =
		    q->deadline_ms && q->deadline_ms < m->conf.deadline_ms
		    ? q->deadline_ms
		    : m->conf.deadline_ms,
	};
	struct model_wire w;
	struct verdict v;
	uint64_t start_us;

	a.body = question_body(m, q);
	for (;;) {
		start_us = clock_mono_us();
		attempt(&a, &w, &v);
		if (!decide(&a, &v, &w, start_us))
			break;
		model_wire_done(&w);
	}
	conclude(&a, &v, &w, ret, failure);
	model_wire_done(&w);
	free(a.body);
	return v.good ? ERR_OK : ERR_CLOSED;
}
