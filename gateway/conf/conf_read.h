/* What the parts of the configuration's reader share; private to conf*.c. */
#ifndef GATEWAY_CONF_READ_H
#define GATEWAY_CONF_READ_H

#include "gateway/conf/conf.h"

struct conf_reader {
	struct conf *conf;
	struct findings *f;
	const char *document; /* name of the one being read, or "" */
};

/* providers: [...] of one document, added to the others'. */
void conf_read_providers(struct conf_reader *r, const struct ynode *list);

/* rules: [...] of TrueFoundry's document. */
void conf_read_rules(struct conf_reader *r, const struct ynode *list);

/* virtual_models: [{name, routing_config}]; a routing_config is one rule
 * without id and conditions, or a whole document of rules. */
void conf_read_virtual(struct conf_reader *r, const struct ynode *list);

/* rules: [...] of rate limits or budgets. */
void conf_read_limits(struct conf_reader *r, const struct ynode *list,
    bool budget);

/* timeouts, breaker, buffer, malformed_events of a document or a rule. */
void conf_read_terms(struct conf_reader *r, const struct ynode *map,
    struct conf_terms *t);

/* hosts: [NAME] and origins: [ORIGIN], in conf_doors.c. */
void conf_read_hosts(struct conf_reader *r, const struct ynode *list);
void conf_read_origins(struct conf_reader *r, const struct ynode *list);

/* otlp: {endpoint, ...}. */
void conf_read_otlp(struct conf_reader *r, const struct ynode *map);

/* keys: [{key_env, subject, groups}]. */
void conf_read_keys(struct conf_reader *r, const struct ynode *list);

/* routes: [...] and its neighbours, the small dialect. */
void conf_read_routes(struct conf_reader *r, const struct ynode *document);

/* A new last rule, with its defaults and room for ntargets; NULL (and an
 * error at `at`) when there are too many of either. */
struct conf_rule *conf_add_rule(struct conf_reader *r, const struct ynode *at,
    size_t ntargets);

/* health_check: {...} of a provider whose places are known; NULL: none. */
void conf_read_health(struct conf_reader *r, const struct ynode *map,
    struct conf_provider *p);

/* Keeps a composed string as long as the configuration; returns it. */
char *conf_own(struct conf *c, char *text);
/* How the provider's keys are found in what it says, once they are known. */
void conf_hide_prepare(struct conf *c, struct conf_provider *p);
/* And what headers of the configuration's hold, whose name, or that of the
 * variable in them, says that it is one; said: how the map was written, before
 * its variables had values, NULL: nobody knows. */
void conf_hide_headers(struct conf *c, const struct conf_provider *p,
    const struct ynode *said, const struct ynode *map);

/* A map of headers with its ${NAME}s expanded and every field looked at;
 * NULL for NULL. */
const struct ynode *conf_expand_headers(struct conf_reader *r,
    const struct ynode *map);

/* Defaults of a target, and the provider and model behind its name. */
void conf_target_init(struct conf_target *t);
void conf_target_resolve(struct conf_reader *r, struct conf_target *t,
    const struct ynode *at);

/* edits of the body: the model, then overrides (a map, or NULL). */
void conf_target_edits(struct conf_reader *r, struct conf_target *t,
    const struct ynode *overrides);

#endif
