/* Who is asked again, and when. */
#include "agent/model/model_retry.h"
#include "tests/unit.h"

#define MAX UINT32_MAX

static void
check_decisions(void)
{
	static const struct {
		const char *what;
		struct model_retry_facts f;
		bool again;
		uint32_t min_ms, max_ms;
	} rows[] = {
		/* outcome status quota should after attempts calls left random
		 */
		{ "503 once",
		    { MODEL_RETRY_STATUS, 503, 0, -1, -1, 1, 1, 60000, 0 },
		    true, 500, 500 },
		{ "jitter takes up to a quarter",
		    { MODEL_RETRY_STATUS, 503, 0, -1, -1, 1, 1, 60000, MAX },
		    true, 375, 376 },
		{ "the third doubles twice",
		    { MODEL_RETRY_STATUS, 500, 0, -1, -1, 3, 3, 60000, 0 },
		    true, 2000, 2000 },
		{ "four are enough",
		    { MODEL_RETRY_STATUS, 503, 0, -1, -1, 4, 4, 60000, 0 },
		    false, 0, 0 },
		{ "refused connection",
		    { MODEL_RETRY_CONNECT, 0, 0, -1, -1, 1, 1, 60000, 0 }, true,
		    500, 500 },
		{ "a cut stream",
		    { MODEL_RETRY_BROKEN, 0, 0, -1, -1, 1, 1, 60000, 0 }, true,
		    500, 500 },
		{ "length", { MODEL_RETRY_FINAL, 0, 0, -1, -1, 1, 1, 60000, 0 },
		    false, 0, 0 },
		{ "400", { MODEL_RETRY_STATUS, 400, 0, -1, -1, 1, 1, 60000, 0 },
		    false, 0, 0 },
		{ "401", { MODEL_RETRY_STATUS, 401, 0, -1, -1, 1, 1, 60000, 0 },
		    false, 0, 0 },
		{ "402", { MODEL_RETRY_STATUS, 402, 0, -1, -1, 1, 1, 60000, 0 },
		    false, 0, 0 },
		{ "422", { MODEL_RETRY_STATUS, 422, 0, -1, -1, 1, 1, 60000, 0 },
		    false, 0, 0 },
		{ "529", { MODEL_RETRY_STATUS, 529, 0, -1, -1, 1, 1, 60000, 0 },
		    true, 500, 500 },
		{ "429 with Retry-After is never early",
		    { MODEL_RETRY_STATUS, 429, 0, -1, 2000, 1, 1, 60000, MAX },
		    true, 2000, 2100 },
		{ "Retry-After past the deadline",
		    { MODEL_RETRY_STATUS, 429, 0, -1, 90000, 1, 1, 60000, 0 },
		    false, 0, 0 },
		{ "a used-up quota",
		    { MODEL_RETRY_STATUS, 429, 1, -1, 1, 1, 1, 60000, 0 },
		    false, 0, 0 },
		{ "x-should-retry: false on a 503",
		    { MODEL_RETRY_STATUS, 503, 0, 0, -1, 1, 1, 60000, 0 },
		    false, 0, 0 },
		{ "x-should-retry: true on a 400",
		    { MODEL_RETRY_STATUS, 400, 0, 1, -1, 1, 1, 60000, 0 }, true,
		    500, 500 },
		{ "x-should-retry: true does not help for ever",
		    { MODEL_RETRY_STATUS, 503, 0, 1, -1, 4, 4, 60000, 0 },
		    false, 0, 0 },
		{ "the gateway made eight calls of two attempts",
		    { MODEL_RETRY_STATUS, 503, 0, -1, -1, 2, 8, 60000, 0 },
		    false, 0, 0 },
		{ "and has one left",
		    { MODEL_RETRY_STATUS, 503, 0, -1, -1, 1, 7, 60000, 0 },
		    true, 500, 500 },
		{ "no time left",
		    { MODEL_RETRY_STATUS, 503, 0, -1, -1, 1, 1, 400, 0 }, false,
		    0, 0 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		const char *reason = NULL;
		uint32_t ms = 0;

		CHECK_INT(model_retry_decide(&model_retry_default, &rows[i].f,
		              &ms, &reason),
		    rows[i].again, rows[i].what);
		CHECK(reason && *reason, rows[i].what);
		CHECK(ms >= rows[i].min_ms && ms <= rows[i].max_ms,
		    rows[i].what);
	}
}

/* Who stops a run is told so in its trace, whatever the server said. */
static void
check_stopped(void)
{
	for (int said = -1; said <= 1; said++) {
		const struct model_retry_facts f = {
			.outcome = MODEL_RETRY_STOPPED,
			.should_retry = said,
			.retry_after_ms = -1,
			.attempts = 1,
			.calls = 1,
			.left_ms = 60000,
		};
		const char *reason = "";
		uint32_t ms = 0;

		CHECK(!model_retry_decide(&model_retry_default, &f, &ms,
		          &reason),
		    "stopped: not asked again");
		CHECK_STR(reason, "the run was asked to stop", "why not");
	}
}

void
t_model_retry(void)
{
	check_decisions();
	check_stopped();
}
