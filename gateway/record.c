/*
 * The decision log's line: what was asked, what was decided, how each
 * attempt ended.  Never a body, a key or a header's value beyond the few
 * metadata fields named here.
 */
#include "gateway/call_impl.h"

#include "base/clock.h"
#include "base/tfymeta.h"
#include "gateway/jput.h"

#define LINE_MAX_BYTES 16384

static const char *const metadata_keys[] = { "scenario", "role", "op",
	"iteration", "escalate" };

static void
put_try(struct buf *b, const struct call_try *t)
{
	buf_adds(b, b->data[b->len - 1] == '[' ? "{" : ",{");
	jput_member(b, "target", t->target->name);
	jput_member(b, "cause", cause_facts(t->cause)->name);
	jput_uint(b, "status", (uint64_t)t->status);
	jput_ms(b, "ms", t->us);
	buf_addc(b, '}');
}

static void
put_asked(struct buf *b, const struct call *c)
{
	const char *value;

	jput_member(b, "request", c->id);
	for (size_t i = 0; i < sizeof metadata_keys / sizeof metadata_keys[0];
	     i++)
		if ((value = tfymeta_get(c->metadata, metadata_keys[i])))
			jput_member(b, metadata_keys[i], value);
	jput_member(b, "from", c->model);
	jput_bool(b, "stream", c->is_stream);
}

static void
put_decided(struct buf *b, const struct call *c)
{
	const struct conf_target *t = call_target(c);

	jput_member(b, "rule", c->rule ? c->rule->id : "");
	jput_member(b, "target", t ? t->name : "");
	jput_member(b, "model", t ? t->model : "");
	jput_member(b, "reason", c->reason ? c->reason : "refused");
}

void
record_call(struct call *c, int status, enum cause cause)
{
	struct gate *g = c->gate;
	char wall[CLOCK_ISO_BYTES];
	struct buf b;

	g->stats.by_class[status / 100 < 6 ? status / 100 : 5]++;
	buf_init(&b, LINE_MAX_BYTES);
	buf_addc(&b, '{');
	put_asked(&b, c);
	put_decided(&b, c);
	jput_uint(&b, "status", (uint64_t)status);
	jput_member(&b, "outcome", cause_facts(cause)->name);
	buf_adds(&b, ",\"attempts\":[");
	for (size_t i = 0; i < c->ntries; i++)
		put_try(&b, &c->tries[i]);
	buf_addc(&b, ']');
	jput_uint(&b, "tokens_in", c->commit.last_usage.tokens_in);
	jput_uint(&b, "tokens_out", c->commit.last_usage.tokens_out);
	jput_ms(&b, "ms", loop_now_us(g->loop) - c->started_us);
	clock_iso(clock_wall_ms(), wall);
	jput_member(&b, "wall", wall);
	buf_addc(&b, '}');
	declog_line(g->log, &b);
	buf_done(&b);
}
