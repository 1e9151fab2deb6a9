/*
 * The validator that said no is named in the log, whatever follows from it.
 */
#include "gateway/exchange/answer_quality.h"

#include "base/clock.h"
#include "gateway/decisions/validators.h"
#include "gateway/exchange/decision_record.h"

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

/* By the tokens of the first answer, where those were counted. */
static uint64_t
as_much_again(const struct call *c)
{
	const struct chunk *usage = &c->commit.last_usage;
	struct cost_usage u = { usage->tokens_in, usage->tokens_out, 0 };

	return cost_nano(c->rule->escalation->price, &u,
	    clock_wall_ms() / 1000);
}

static bool
can_afford(struct call *c, uint64_t most)
{
	uint64_t again = as_much_again(c), spent = record_cost(c);

	c->escalating_nano = most > again ? most : again;
	for (size_t i = 0; i < c->ntries; i++)
		spent += c->tries[i].cost_nano;
	c->gate->stats.escalating_nano += c->escalating_nano;
	if (c->rule->request_usd != 0 && c->rule->run_usd != 0 &&
	    quality_affords(c, spent))
		return true;
	quality_leave(c);
	return false;
}

bool
quality_affords(const struct call *c, uint64_t spent)
{
	const struct conf_rule *rule = c->rule;
	const struct gateway_stats *all = &c->gate->stats;

	return (rule->request_usd < 0 ||
	           spent + c->escalating_nano <= nano(rule->request_usd)) &&
	    (rule->run_usd < 0 ||
	        all->escalated_nano + all->escalating_nano <=
	            nano(rule->run_usd));
}

void
quality_leave(struct call *c)
{
	c->gate->stats.escalating_nano -= c->escalating_nano;
	c->escalating_nano = 0;
}

bool
quality_holds(const struct call *c)
{
	return c->rule && c->rule->validators && !c->is_escalated &&
	    c->schema->kind == SCHEMA_CHAT;
}

bool
quality_rejects(struct call *c, uint64_t most)
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
	if (!can_afford(c, most)) {
		c->failed = "budget";
		return false;
	}
	return true;
}
