/*
 * The validator that said no is named in the log, whatever follows from it.
 */
#include "gateway/exchange/answer_quality.h"

#include "gateway/decisions/validators.h"

static const char *
judge(const struct call *c)
{
	struct content content;
	const char *failed;

	content_init(&content);
	if (c->is_events)
		content_add_events(&content,
		    (struct slice){ c->commit.out.data, c->commit.out.len });
	else
		content_add_answer(&content,
		    (struct slice){ c->body.data, c->body.len });
	failed = validators_run(c->rule->validators, &content);
	content_done(&content);
	return failed;
}

static uint64_t
nano(double usd)
{
	return (uint64_t)(usd * COST_USD);
}

/* A guess: as many tokens again, at the escalation target's price. */
static bool
can_afford(const struct call *c)
{
	const struct conf_rule *rule = c->rule;
	const struct chunk *usage = &c->commit.last_usage;
	struct cost_usage u = { usage->tokens_in, usage->tokens_out, 0 };
	uint64_t more = cost_nano(rule->escalation->price, &u, 0), spent = 0;

	for (size_t i = 0; i < c->ntries; i++)
		spent += c->tries[i].cost_nano;
	if (rule->request_usd >= 0 && spent + more > nano(rule->request_usd))
		return false;
	return rule->run_usd < 0 ||
	    c->gate->stats.escalated_nano + more <= nano(rule->run_usd);
}

bool
quality_holds(const struct call *c)
{
	return c->rule && c->rule->validators && !c->is_escalated &&
	    c->schema->kind == SCHEMA_CHAT;
}

bool
quality_rejects(struct call *c)
{
	if (!quality_holds(c) || !(c->failed = judge(c)))
		return false;
	c->gate->stats.rejected++;
	if (c->rule->is_shadow || !c->rule->escalation)
		return false;
	if (breaker_is_open(&c->rule->escalation->live->breaker,
	        loop_now_us(c->gate->loop) / 1000))
		return false;
	if (!call_can_ask(c, c->rule->escalation->provider)) {
		c->failed = "untranslatable";
		return false;
	}
	if (!can_afford(c)) {
		c->failed = "budget";
		return false;
	}
	return true;
}
