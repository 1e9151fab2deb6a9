/* Configurations good and bad: what is said, and where. */
#include "gateway/conf/conf.h"

#include "tests/unit.h"
#include <stdlib.h>
#include <string.h>

#define PROVIDER_KEY                                                           \
	"providers:\n- name: p\n  base_url: 'http://127.0.0.1:9/v1'\n"         \
	"  api_key_env: "
#define PROVIDER "providers: [{name: p, base_url: 'http://127.0.0.1:9/v1'}]\n"
#define RULES    PROVIDER "type: gateway-load-balancing-config\nrules:\n"
#define TARGET   "    load_balance_targets:\n      - target: p/m\n"
#define RULE     RULES "  - id: r\n    type: priority-based-routing\n" TARGET

static const struct row {
	const char *what, *text;
	const char *says; /* in the findings; NULL: none */
	bool good;
} rows[] = {
	{ "providers alone", PROVIDER, NULL, true },
	{ "a rule", RULE, NULL, true },
	{ "JSON",
	    "{\"providers\":[{\"name\":\"p\",\"base_url\":\"http://"
	    "127.0.0.1:9\"}],\"rules\":[]}",
	    NULL, true },
	{ "two documents",
	    PROVIDER "---\ntype: gateway-load-balancing-config\nrules: []\n",
	    NULL, true },
	{ "rules before providers",
	    "rules:\n  - id: r\n    type: weight-based-routing\n" TARGET
	    "---\n" PROVIDER,
	    NULL, true },
	{ "a key of two callers warns",
	    PROVIDER "keys: [{key_env: PATH, subject: a}, {key_env: PATH, "
	             "subject: b}]\n",
	    "warning: f:2: keys[1]: the key of b is that of a, too: who shows "
	    "it is the same caller",
	    true },
	{ "so does a budget's second one",
	    PROVIDER "---\ntype: gateway-budget-config\nrules: [{id: a, "
	             "limit_to: 3, unit: cost_per_day}, {id: a, limit_to: 4, "
	             "unit: cost_per_week}]\n",
	    "warning: f:4: rules[1].id: another limit or budget is called a: "
	    "they count as one",
	    true },
	{ "an unknown key warns", PROVIDER "colour: red\n",
	    "warning: f:2: colour: unknown key", true },
	{ "one deep in", RULE "        speed: 3\n",
	    "warning: f:8: rules[0].load_balance_targets[0].speed: unknown key",
	    true },
	{ "empty", "", "f: empty", false },
	{ "not YAML", "a: [1\n", "f:2:", false },
	{ "a scalar", "hello\n", "f:1: top level: found hello, expected a map",
	    false },
	{ "no providers", "rules: []\n", "no providers", false },
	{ "a wrong type", RULE "        weight: heavy\n",
	    "error: f:8: rules[0].load_balance_targets[0].weight: found heavy, "
	    "expected an integer",
	    false },
	{ "out of range", RULE "        priority: -1\n",
	    "priority: found -1, expected an integer in range from 0 to "
	    "1000000",
	    false },
	{ "a target named twice", RULE "        target: 7\n", "twice", false },
	{ "a number for a string",
	    "providers: [{name: 7, base_url: 'http://127.0.0.1'}]\n",
	    "providers[0].name: found 7, expected a printable string", false },
	{ "a bad kind", RULES "  - id: r\n    type: luck\n" TARGET,
	    "rules[0].type: found luck, expected one of", false },
	{ "no id", RULES "  - type: weight-based-routing\n" TARGET,
	    "error: f:4: rules[0]: the key id is missing", false },
	{ "no targets",
	    RULES "  - id: r\n    type: weight-based-routing\n    "
	          "load_balance_targets: []\n",
	    "a rule needs a target", false },
	{ "ids twice",
	    RULE "  - id: r\n    type: priority-based-routing\n" TARGET,
	    "rules[1].id: the id r stands twice", false },
	{ "an unknown provider",
	    RULES "  - id: r\n    type: weight-based-routing\n    "
	          "load_balance_targets: [{target: q/m}]\n",
	    "found q/m, expected PROVIDER/MODEL", false },
	{ "all weights 0",
	    RULES "  - id: r\n    type: weight-based-routing\n" TARGET
	          "        weight: 0\n",
	    "all weights are 0", false },
	{ "statuses as strings",
	    RULE "        fallback_status_codes: [\"401\", 500]\n", NULL,
	    true },
	{ "statuses that are none",
	    RULE "        fallback_status_codes: [99]\n",
	    "expected a list of statuses", false },
	{ "overrides",
	    RULE "        override_params: {temperature: 0.5, stop: [a, b]}\n",
	    NULL, true },
	{ "the model overridden", RULE "        override_params: {model: x}\n",
	    "override_params.model: may not be overridden", false },
	{ "an anchor", "a: &x 1\n" PROVIDER, "f:1: anchors", false },
	{ "a key twice", PROVIDER PROVIDER,
	    "f:2: providers: the key stands twice", false },
	{ "http beyond this machine",
	    "providers: [{name: p, base_url: 'http://example.com'}]\n",
	    "insecure_http", false },
	{ "and allowed",
	    "providers: [{name: p, base_url: 'http://example.com', "
	    "insecure_http: true}]\n",
	    NULL, true },
	{ "no URL", "providers: [{name: p, base_url: 'ftp://x'}]\n", "base_url",
	    false },
	{ "an unset variable",
	    "providers: [{name: p, base_url: '${KF_TEST_UNSET}'}]\n",
	    "${KF_TEST_UNSET} is not set", false },
	{ "a set one",
	    "providers: [{name: p, base_url: '${KF_TEST_URL}/v1'}]\n", NULL,
	    true },
	{ "an unset key",
	    "providers: [{name: p, base_url: 'http://127.0.0.1', api_key_env: "
	    "KF_TEST_UNSET}]\n",
	    "warning: f:1: providers[0].api_key_env: KF_TEST_UNSET is not set",
	    true },
	{ "a key with a newline",
	    "providers: [{name: p, base_url: 'http://127.0.0.1', api_key_env: "
	    "KF_TEST_BROKEN}]\n",
	    "KF_TEST_BROKEN holds a byte that no key has", false },
	{ "headers",
	    "providers: [{name: p, base_url: 'http://127.0.0.1', "
	    "headers: {x-a: 'b ${KF_TEST_URL}'}}]\n",
	    NULL, true },
	{ "a header from nowhere",
	    "providers: [{name: p, base_url: 'http://127.0.0.1', headers: "
	    "{x-a: '${KF_TEST_UNSET}'}}]\n",
	    "${KF_TEST_UNSET} is not set", false },
	{ "a value with an end of line",
	    "providers: [{name: p, base_url: 'http://127.0.0.1', headers: "
	    "{x-a: \"b\\r\\nc: d\"}}]\n",
	    "headers.x-a: expected a header's name and a value", false },
	{ "a name that is none",
	    "providers: [{name: p, base_url: 'http://127.0.0.1', headers: "
	    "{'x a': b}}]\n",
	    "expected a header's name", false },
	{ "a Host",
	    "providers: [{name: p, base_url: 'http://127.0.0.1', headers: "
	    "{Host: b}}]\n",
	    "headers.Host: is not for a configuration to set", false },
	{ "a target's header with an end of line",
	    RULE "        headers_override: {set: {x-a: \"b\\nc\"}}\n",
	    "expected a header's name and a value", false },
	{ "forwarding a key",
	    "providers: [{name: p, base_url: "
	    "'http://127.0.0.1', forward_headers: "
	    "[Authorization]}]\n",
	    "Authorization is never passed on", false },
	{ "what it speaks",
	    "providers: [{name: p, base_url: 'http://127.0.0.1', apis: [chat, "
	    "messages]}]\n",
	    NULL, true },
	{ "what nobody speaks",
	    "providers: [{name: p, base_url: 'http://127.0.0.1', apis: "
	    "[smoke]}]\n",
	    "expected chat, messages", false },
	{ "a key in a header",
	    "providers: [{name: p, base_url: 'http://127.0.0.1', auth: "
	    "{header: x-goog-api-key}}]\n",
	    NULL, true },
	{ "a key in a query",
	    "providers: [{name: p, base_url: 'http://127.0.0.1', auth: {query: "
	    "key}}]\n",
	    NULL, true },
	{ "a key in both",
	    "providers: [{name: p, base_url: 'http://127.0.0.1', auth: "
	    "{header: x-a, query: key}}]\n",
	    "expected one of header and query", false },
	{ "a key nowhere",
	    "providers: [{name: p, base_url: 'http://127.0.0.1', auth: {}}]\n",
	    "expected one of header and query", false },
	{ "a key as Host",
	    "providers: [{name: p, base_url: 'http://127.0.0.1', auth: "
	    "{header: Host}}]\n",
	    "expected a header", false },
	{ "a key under no name",
	    "providers: [{name: p, base_url: 'http://127.0.0.1', auth: {query: "
	    "'a b'}}]\n",
	    "expected a parameter", false },
	{ "keys in turn",
	    "providers: [{name: p, base_url: 'http://127.0.0.1', api_key_env: "
	    "[KF_TEST_URL, KF_TEST_URL]}]\n",
	    NULL, true },
	{ "keys as a map",
	    "providers: [{name: p, base_url: 'http://127.0.0.1', api_key_env: "
	    "{a: b}}]\n",
	    "a list of names", false },
	{ "how it continues",
	    "providers: [{name: p, base_url: "
	    "'http://127.0.0.1', continues: somehow}]\n",
	    "found somehow", false },
	{ "a page", PROVIDER "origins: ['https://a.example']\n", NULL, true },
	{ "every page", PROVIDER "origins: ['*']\n", "expected an origin",
	    false },
	{ "a rule of its own manner",
	    RULE "    timeouts: {idle_ms: 5}\n    breaker: off\n    buffer: "
	         "{max_bytes: 1, max_ms: 1}\n    malformed_events: cut\n",
	    NULL, true },
	{ "a rule with an odd breaker", RULE "    breaker: iron\n",
	    "rules[0].breaker: found iron", false },
	{ "a breaker", PROVIDER "breaker: demo\n", NULL, true },
	{ "no such breaker", PROVIDER "breaker: iron\n",
	    "f:2: breaker: found iron", false },
	{ "a limit",
	    PROVIDER "type: gateway-rate-limiting-config\nrules: [{id: a, "
	             "limit_to: 3, unit: requests_per_minute}]\n",
	    NULL, true },
	{ "a unit of the other kind",
	    PROVIDER "type: gateway-rate-limiting-config\nrules: [{id: a, "
	             "limit_to: 3, unit: cost_per_day}]\n",
	    "rules[0].unit: cost_per_day belongs", false },
	{ "a limit for each of what",
	    PROVIDER "type: gateway-budget-config\nrules: [{id: a, limit_to: "
	             "3, unit: cost_per_day, budget_applies_per: [moon]}]\n",
	    "found moon", false },
	{ "a price",
	    PROVIDER "prices: [{target: p/m, input: 1, output: 2, schedule: "
	             "[{from: '16:30', to: '00:30', factor: 0.5}]}]\n",
	    NULL, true },
	{ "a time that is none",
	    PROVIDER "prices: [{target: p/m, input: 1, output: 2, schedule: "
	             "[{from: '25:00', to: '00:30', factor: 0.5}]}]\n",
	    "times of the day", false },
	{ "no time at all",
	    PROVIDER "prices: [{target: p/m, input: 1, output: 2, schedule: "
	             "[{from: '10:00', to: '10:00', factor: 0}]}]\n",
	    "warning: f:2: prices[0].schedule[0]: from and to are one time",
	    true },
	{ "a number of two readings", PROVIDER "timeouts: {total_ms: 010}\n",
	    "timeouts.total_ms: found 010, expected an integer", false },
	{ "a time that another ends",
	    PROVIDER "timeouts: {first_token_ms: 5000, total_ms: 100}\n",
	    "warning: f:2: timeouts.first_token_ms: longer than total_ms",
	    true },
	{ "each Host", PROVIDER "hosts: ['*']\n",
	    "hosts[0]: found \"*\", expected the name of a host", false },
	{ "no Host", PROVIDER "hosts: ['']\n", "expected the name of a host",
	    false },
	{ "a Host with a port",
	    PROVIDER "hosts: ['a.example', 'b.example:80']\n",
	    "hosts[1]: found \"b.example:80\", expected the name of a host, "
	    "without a port",
	    false },
	{ "a Host in brackets", PROVIDER "hosts: ['[fd00::1]']\n",
	    "expected the name of a host, without a port", false },
	{ "a number for a key", PROVIDER_KEY "5\n",
	    "providers[0].api_key_env: expected the name of a variable",
	    false },
	{ "a truth for a key", PROVIDER_KEY "true\n",
	    "api_key_env: expected the name of a variable", false },
	{ "no key's name", PROVIDER_KEY "null\n",
	    "api_key_env: expected the name of a variable", false },
	{ "a number among keys", PROVIDER_KEY "[HOME, 5]\n",
	    "api_key_env[1]: expected the name of a variable", false },
	{ "what only routes have", RULE "retry_config: {max_attempts: 2}\n",
	    "retry_config: without effect where there are no routes", true },
	{ "an unset caller's key",
	    PROVIDER "keys: [{key_env: KF_TEST_UNSET, subject: 'user:x'}]\n",
	    "KF_TEST_UNSET is not set", false },
	{ "validators",
	    RULES "  - id: r\n    type: priority-based-routing\n    "
	          "validators: [{type: content}, {type: regex, pattern: a+}]\n "
	          "   escalation: {target: p/pro}\n" TARGET,
	    NULL, true },
	{ "an escalation that cannot be asked",
	    "providers:\n  - {name: p, base_url: 'http://127.0.0.1:1/v1'}\n"
	    "  - {name: e, base_url: 'http://127.0.0.1:2/v1', apis: "
	    "[embeddings]}\nrules: [{id: r, type: priority-based-routing, "
	    "load_balance_targets: [{target: p/m}], validators: [{type: "
	    "content}], escalation: {target: e/m}}]\n",
	    "warning: f:4: rules[0].escalation: e/m speaks no API of texts",
	    true },
	{ "an escalation of another API",
	    "providers:\n  - {name: p, base_url: 'http://127.0.0.1:1/v1', "
	    "apis: [chat]}\n  - {name: e, base_url: 'http://127.0.0.1:2/v1', "
	    "apis: [messages]}\nrules: [{id: r, type: priority-based-routing, "
	    "load_balance_targets: [{target: p/m}], validators: [{type: "
	    "content}], escalation: {target: e/m}}]\n",
	    NULL, true },
	{ "no such validator",
	    RULES "  - id: r\n    type: priority-based-routing\n    "
	          "validators: [{type: taste}]\n" TARGET,
	    "validators[0].type: found taste", false },
	{ "no regular expression",
	    RULES "  - id: r\n    type: priority-based-routing\n    "
	          "validators: [{type: regex, pattern: '('}]\n" TARGET,
	    "( is not a regular expression", false },
	{ "a pattern with an escape in it",
	    RULES "  - id: r\n    type: priority-based-routing\n    "
	          "validators: [{type: regex, pattern: \"a\\e\"}]\n" TARGET,
	    "a string without control characters", false },
	{ "a virtual model",
	    PROVIDER
	    "virtual_models: [{name: v/x, routing_config: {type: "
	    "weight-based-routing, load_balance_targets: [{target: p/m}]}}]\n",
	    NULL, true },
	{ "with rules",
	    PROVIDER "virtual_models: [{name: v/x, routing_config: {type: "
	             "gateway-load-balancing-config, rules: [{id: a, type: "
	             "weight-based-routing, load_balance_targets: [{target: "
	             "p/m}]}]}}]\n",
	    NULL, true },
	{ "with a condition",
	    PROVIDER
	    "virtual_models: [{name: v/x, routing_config: {when: {}, type: "
	    "weight-based-routing, load_balance_targets: [{target: p/m}]}}]\n",
	    "routing_config.when: unknown key", true },
	{ "another type", PROVIDER "type: other\nrules: []\n",
	    "type: found other", false },
	{ "timers", PROVIDER "timeouts: {first_token_ms: 100}\n", NULL, true },
	{ "a bad timer", PROVIDER "timeouts: {first_token_ms: soon}\n",
	    "timeouts.first_token_ms: found soon", false },
	{ "the small dialect",
	    PROVIDER
	    "routes: [{name: a, provider: p, model: m, priority: 1}]\n",
	    NULL, true },
	{ "its escalation",
	    PROVIDER "routes: [{name: a, provider: p, model: "
	             "m}]\nescalation_rules: [{if_header: X-TFY-METADATA, "
	             "contains: escalate=pro, route_to: a}]\n",
	    NULL, true },
	{ "to nowhere",
	    PROVIDER
	    "routes: [{name: a, provider: p, model: m}]\nescalation_rules: "
	    "[{if_header: X, contains: y, route_to: b}]\n",
	    "no route is named b", false },
	{ "its wrong types",
	    PROVIDER "routes: [{name: a, provider: p, model: "
	             "m}]\nfallback_candidate: maybe\n",
	    "f:3: fallback_candidate: found maybe, expected true or false",
	    false },
	{ "an unknown provider there",
	    PROVIDER "routes: [{name: a, provider: q, model: m}]\n",
	    "no provider is named q", false },
	{ "a unit that is none",
	    PROVIDER "---\ntype: gateway-budget-config\nrules: [{id: r, "
	             "limit_to: 1, unit: day}]\n",
	    "found day, expected one of the names the manual lists: "
	    "requests_per_minute, requests_per_hour, requests_per_day, "
	    "tokens_per_minute, tokens_per_hour, tokens_per_day, "
	    "cost_per_day, cost_per_week, cost_per_month, tokens_per_week, "
	    "tokens_per_month\n",
	    false },
	{ "sticky",
	    RULES "  - id: r\n    type: weight-based-routing\n    "
	          "sticky_routing: {ttl_seconds: 60, session_identifiers: "
	          "[{source: headers, key: x-session-id}]}\n" TARGET,
	    NULL, true },
	{ "sticky from nowhere",
	    RULES "  - id: r\n    type: weight-based-routing\n    "
	          "sticky_routing: {ttl_seconds: 60, session_identifiers: "
	          "[{source: stars, key: x}]}\n" TARGET,
	    "session_identifiers[0]: expected", false },
};

/* Every key of the small dialect, where it goes. */
static void
reads_the_dialect(void)
{
	static const char text[] = PROVIDER
	    "routes: [{name: a, provider: p, model: m}]\n"
	    "retry_config: {max_attempts: 5, initial_backoff_ms: 10, "
	    "max_backoff_ms: 20}\n"
	    "fallback_status_codes: [418]\nfallback_candidate: false\n";
	const struct conf_target *t;
	struct findings f;
	struct conf *c;

	findings_init(&f, "f");
	c = conf_parse("f", text, sizeof text - 1, &f);
	if (CHECK(c && c->nrules == 1, "one rule")) {
		t = &c->rules[0].targets[0];
		CHECK_INT(t->retry.retries, 4, "attempts count the first");
		CHECK_INT(t->retry.delay_ms, 10, "the first wait");
		CHECK_INT(t->retry.delay_max_ms, 20, "the longest");
		CHECK(status_set_has(&t->retry.fallback, 418), "falls");
		CHECK(!status_set_has(&t->retry.fallback, 503), "only that");
		CHECK(status_set_has(&t->retry.on, 503), "still retried");
		CHECK(!t->is_candidate, "nobody falls to it");
	}
	findings_done(&f);
	conf_unref(c);
}

static void
judges_files(void)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct findings f;
		struct conf *c;

		findings_init(&f, "f");
		c = conf_parse("f", rows[i].text, strlen(rows[i].text), &f);
		CHECK_INT(c != NULL, rows[i].good, rows[i].what);
		if (rows[i].says)
			CHECK(f.text.data && strstr(f.text.data, rows[i].says),
			    f.text.data ? f.text.data : rows[i].what);
		else
			CHECK_STR(f.text.data, NULL, rows[i].what);
		CHECK_INT(f.errors == 0, rows[i].good, rows[i].what);
		findings_done(&f);
		conf_unref(c);
	}
}

static const char *
edit(const struct conf_target *t, const char *name)
{
	for (size_t i = 0; i < t->nedits; i++)
		if (strcmp(t->edits[i].name, name) == 0)
			return t->edits[i].json;
	return NULL;
}

static void
reads_a_target(void)
{
	static const char text[] = RULE
	    "        priority: 3\n"
	    "        retry_config: {attempts: 5, delay: 7, on_status_codes: "
	    "['418']}\n"
	    "        fallback_status_codes: [404]\n"
	    "        fallback_candidate: false\n"
	    "        timeout_ms: 900\n"
	    "        override_params: {temperature: 0.5, stop: [a, 'b\"'], n: "
	    "'1', o: {}, deep: {x: [[1], {}]}}\n";
	const struct conf_target *t;
	struct findings f;
	struct conf *c;

	findings_init(&f, "f");
	c = conf_parse("f", text, sizeof text - 1, &f);
	if (!CHECK(c, "it is good")) {
		findings_done(&f);
		return;
	}
	t = &c->rules[0].targets[0];
	CHECK_STR(t->provider->name, "p", "provider");
	CHECK_STR(t->provider->targets[SCHEMA_CHAT], "/v1/chat/completions",
	    "path");
	CHECK_STR(t->model, "m", "model");
	CHECK_INT(t->priority, 3, "priority");
	CHECK_INT(t->retry.retries, 5, "retries");
	CHECK_INT(t->retry.delay_ms, 7, "delay");
	CHECK(status_set_has(&t->retry.on, 418), "its statuses");
	CHECK(!status_set_has(&t->retry.on, 503), "replace the defaults");
	CHECK(status_set_has(&t->retry.fallback, 404), "fallback");
	CHECK(!t->is_candidate, "no candidate");
	CHECK_INT(t->timeout_ms, 900, "timeout");
	CHECK_STR(edit(t, "model"), "\"m\"", "model edit");
	CHECK_STR(edit(t, "temperature"), "0.5", "a number");
	CHECK_STR(edit(t, "stop"), "[\"a\",\"b\\\"\"]", "a list");
	CHECK_STR(edit(t, "n"), "\"1\"", "a quoted number is text");
	CHECK_STR(edit(t, "o"), "{}", "an empty map");
	CHECK_STR(edit(t, "deep"), "{\"x\":[[1],{}]}", "depth");
	findings_done(&f);
	conf_unref(c);
}

void t_conf(void);

void
t_conf(void)
{
	setenv("KF_TEST_BROKEN", "key\n", 1);
	setenv("KF_TEST_URL", "http://127.0.0.1:7", 1);
	unsetenv("KF_TEST_UNSET");
	judges_files();
	reads_the_dialect();
	reads_a_target();
}
