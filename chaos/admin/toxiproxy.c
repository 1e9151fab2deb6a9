/*
 * The Toxiproxy API, version 2.12, route by route.  Statuses and messages
 * are those its clients know (docs/chaos.md has the table).
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "chaos/admin/admin.h"
#include "chaos/admin/metrics.h"

#define VERSION_BODY "{\"version\": \"2.12.0\"}\n"
#define BAD_BODY     "bad request body: "
#define ADDRESS_MAX  2048 /* with a URL's path */
#define LISTED       "the proxy is the scenario's: only its toxics change"

/* ---- bodies */

struct raw {
	const char *name, *listen, *upstream;
	bool enabled;
};

/* clang-format off */
static const struct jfield fields[] = {		/* sorted by key */
	{ "enabled",  JF_BOOL,   0, 0, 0, offsetof(struct raw, enabled),  NULL },
	{ "listen",   JF_STRING, 0, 0, 0, offsetof(struct raw, listen),   NULL },
	{ "name",     JF_STRING, 0, 0, 0, offsetof(struct raw, name),     NULL },
	{ "upstream", JF_STRING, 0, 0, 0, offsetof(struct raw, upstream), NULL },
};
/* clang-format on */

#define NFIELDS COUNT(fields)

static enum err
check_texts(const struct raw *r, struct why *why)
{
	enum err e = toxic_check_text("/name", r->name, TOXIC_NAME_MAX, why);

	if (e == ERR_OK)
		e = toxic_check_text("/listen", r->listen, ADDRESS_MAX, why);
	return e == ERR_OK
	    ? toxic_check_text("/upstream", r->upstream, ADDRESS_MAX, why)
	    : e;
}

/* Reads a proxy's keys; absent ones keep what conf holds.  Texts are borrowed
 * from *keep, which the caller drops. */
static enum err
read_conf(json_t *v, struct tcpproxy_conf *conf, json_t **keep, struct why *why)
{
	struct raw raw = { conf->name, conf->listen, conf->upstream,
		conf->is_enabled };
	json_t *kept = json_object(), *lower = json_lower_keys(v), *item;
	enum err e;

	for (size_t i = 0; i < NFIELDS; i++) {
		item = json_object_get(lower, fields[i].key);
		if (item && !json_is_null(item))
			json_object_set(kept, fields[i].key, item);
	}
	json_decref(lower);
	*keep = kept;
	e = json_is_object(v) || json_is_null(v)
	    ? jfield_read(kept, "", fields, NFIELDS, &raw, why)
	    : why_set(why, ERR_SYNTAX, "expected an object");
	if (e == ERR_OK)
		e = check_texts(&raw, why);
	if (e != ERR_OK)
		return why_prefix(why, e, "bad request body");
	*conf = (struct tcpproxy_conf){ raw.name, raw.listen, raw.upstream,
		raw.enabled };
	return ERR_OK;
}

static const char *
missing_field(const struct tcpproxy_conf *c)
{
	if (!c->name[0])
		return "name";
	return c->upstream[0] ? NULL : "upstream";
}

static json_t *
toxics_to_json(const struct tcpproxy *p)
{
	json_t *list = json_array();
	struct toxic *t;

	for (int i = 0; i < TOXIC_NSTREAMS; i++)
		TAILQ_FOREACH(t, tcpproxy_toxics(p, (enum toxic_stream)i),
		    entry)
			json_array_append_new(list, toxic_to_json(t));
	return list;
}

static json_t *
proxy_to_json(const struct tcpproxy *p)
{
	struct tcpproxy_conf c;

	tcpproxy_conf(p, &c);
	return json_pack("{ss ss ss sb so so}", "name", c.name, "listen",
	    c.listen, "upstream", c.upstream, "enabled", c.is_enabled, "Logger",
	    json_object(), "toxics", toxics_to_json(p));
}

/* ---- proxies */

static struct tcpproxy *
proxy_of(struct admin_request *r)
{
	struct tcpproxy *p = tcpset_find(r->set, r->names[0]);

	if (!p)
		admin_error(r, 404, "proxy not found");
	return p;
}

static void
list_proxies(struct admin_request *r)
{
	json_t *all = json_object();
	struct tcpproxy *p = NULL;
	struct tcpproxy_conf c;

	while ((p = tcpset_next(r->set, p))) {
		tcpproxy_conf(p, &c);
		json_object_set_new(all, c.name, proxy_to_json(p));
	}
	admin_json(r, 200, all);
}

static void
create_proxy(struct admin_request *r)
{
	struct tcpproxy_conf conf = { "", "", "", true };
	json_t *body = admin_body(r), *keep = NULL;
	struct tcpproxy *p = NULL;
	struct why why = { "" };
	const char *missing;
	enum err e;

	if (!body)
		return;
	e = read_conf(body, &conf, &keep, &why);
	missing = e == ERR_OK ? missing_field(&conf) : NULL;
	if (missing)
		e = why_set(&why, ERR_SYNTAX, "missing required field: %s",
		    missing);
	if (e != ERR_OK)
		admin_error(r, 400, why.text);
	else if ((e = tcpset_add(r->set, &conf, &p, &why)) != ERR_OK)
		admin_error(r,
		    tcpset_find(r->set, conf.name) ? 409
		        : e == ERR_STATE           ? 400
		                                   : 500,
		    why.text);
	else
		admin_json(r, 201, proxy_to_json(p));
	json_decref(keep);
	json_decref(body);
}

static void
get_proxy(struct admin_request *r)
{
	struct tcpproxy *p = proxy_of(r);

	if (p)
		admin_json(r, 200, proxy_to_json(p));
}

static void
update_proxy(struct admin_request *r)
{
	struct tcpproxy *p = proxy_of(r);
	json_t *body = p ? admin_body(r) : NULL, *keep = NULL;
	struct tcpproxy_conf conf;
	struct why why = { "" };
	enum err e;

	if (!body)
		return;
	tcpproxy_conf(p, &conf);
	e = read_conf(body, &conf, &keep, &why);
	if (e != ERR_OK)
		admin_error(r, 400, why.text);
	else if ((e = tcpproxy_set(p, &conf, &why)) != ERR_OK)
		admin_error(r, e == ERR_STATE ? 400 : 500, why.text);
	else
		admin_json(r, 200, proxy_to_json(p));
	json_decref(keep);
	json_decref(body);
}

static void
delete_proxy(struct admin_request *r)
{
	struct tcpproxy *p = proxy_of(r);

	if (!p)
		return;
	if (tcpproxy_is_listed(p)) {
		admin_error(r, 400, LISTED);
		return;
	}
	tcpset_remove(r->set, p);
	admin_empty(r, 204);
}

/* ---- populate */

/* Makes or replaces one; a proxy that is the same stays as it is, and so does
 * one that cannot be replaced. */
static enum err
put_proxy(struct tcpset *set, const struct tcpproxy_conf *conf,
    struct tcpproxy **ret, struct why *why)
{
	struct tcpproxy *p = tcpset_find(set, conf->name);
	enum err e;

	if (p && tcpproxy_is_same(p, conf->listen, conf->upstream)) {
		*ret = p;
		return ERR_OK;
	}
	if (p && tcpproxy_is_listed(p))
		return why_set(why, ERR_STATE, LISTED);
	if (!p)
		return tcpset_add(set, conf, ret, why);
	e = tcpproxy_set(p, conf, why);
	if (e == ERR_OK)
		tcpproxy_remove_toxics(p);
	*ret = p;
	return e;
}

/* One entry of the list; only checked when made is NULL. */
static enum err
populate_one(struct tcpset *set, json_t *list, size_t i, json_t *made,
    struct why *why)
{
	struct tcpproxy_conf conf = { "", "", "", true };
	struct tcpproxy *p = NULL;
	json_t *keep = NULL;
	const char *missing;
	enum err e = read_conf(json_array_get(list, i), &conf, &keep, why);

	missing = e == ERR_OK ? missing_field(&conf) : NULL;
	if (missing)
		e = why_set(why, ERR_SYNTAX,
		    "missing required field: %s at proxy %zu", missing, i + 1);
	if (e == ERR_OK && made) {
		e = put_proxy(set, &conf, &p, why);
		if (e == ERR_OK)
			json_array_append_new(made, proxy_to_json(p));
		else if (e != ERR_STATE)
			e = ERR_IO;
	}
	json_decref(keep);
	return e;
}

enum err
toxiproxy_populate(struct tcpset *set, json_t *list, json_t *made,
    struct why *why)
{
	enum err e = ERR_OK;

	if (!json_is_array(list) && !json_is_null(list))
		return why_set(why, ERR_SYNTAX,
		    BAD_BODY "expected an array of proxies");
	/* Twice over the list: nothing is made unless every entry can be
	 * read. */
	for (size_t i = 0; i < json_array_size(list) && e == ERR_OK; i++)
		e = populate_one(set, list, i, NULL, why);
	for (size_t i = 0; i < json_array_size(list) && e == ERR_OK; i++)
		e = populate_one(set, list, i, made, why);
	return e;
}

static void
populate(struct admin_request *r)
{
	json_t *made = json_array(), *v = json_object(), *body;
	struct why why = { "" };
	int status = 201;
	enum err e;

	body = admin_read(r, &why);
	e = body ? toxiproxy_populate(r->set, body, made, &why) : ERR_SYNTAX;
	if (e != ERR_OK) {
		status = e == ERR_IO ? 500 : 400;
		json_object_set_new(v, "error", json_string(why.text));
		json_object_set_new(v, "status", json_integer(status));
	}
	/* What was made before an error stays and is told, as by Toxiproxy. */
	json_object_set_new(v, "proxies", made);
	admin_json(r, status, v);
	json_decref(body);
}

/* ---- toxics */

static struct toxic *
toxic_of(struct admin_request *r, struct tcpproxy *p)
{
	struct toxic *t = p ? tcpproxy_find_toxic(p, r->names[1]) : NULL;

	if (p && !t)
		admin_error(r, 404, "toxic not found");
	return t;
}

static void
list_toxics(struct admin_request *r)
{
	struct tcpproxy *p = proxy_of(r);

	if (p)
		admin_json(r, 200, toxics_to_json(p));
}

static int
add_status(enum err e)
{
	if (e == ERR_EXISTS)
		return 409;
	return e == ERR_SYNTAX ? 400 : 500;
}

static void
create_toxic(struct admin_request *r)
{
	enum err e;
	struct tcpproxy *p = proxy_of(r);
	json_t *body = p ? admin_body(r) : NULL;
	struct toxic *t = NULL;
	struct why why = { "" };

	if (!body)
		return;
	if (toxic_read(body, &t, &why) != ERR_OK) {
		admin_error(r, 400, why.text);
	} else {
		e = tcpproxy_add_toxic(p, t, &why);
		if (e == ERR_OK)
			admin_json(r, 200, toxic_to_json(t));
		else
			admin_error(r, add_status(e), why.text);
		if (e != ERR_OK)
			toxic_free(t);
	}
	json_decref(body);
}

static void
get_toxic(struct admin_request *r)
{
	struct toxic *t = toxic_of(r, proxy_of(r));

	if (t)
		admin_json(r, 200, toxic_to_json(t));
}

static void
update_toxic(struct admin_request *r)
{
	struct tcpproxy *p = proxy_of(r);
	struct toxic *t = toxic_of(r, p);
	json_t *body = t ? admin_body(r) : NULL;
	struct why why = { "" };

	if (!body)
		return;
	if (toxic_update(t, body, &why) != ERR_OK) {
		admin_error(r, 400, why.text);
	} else {
		tcpproxy_toxic_changed(p, t);
		admin_json(r, 200, toxic_to_json(t));
	}
	json_decref(body);
}

static void
delete_toxic(struct admin_request *r)
{
	struct tcpproxy *p = proxy_of(r);
	struct toxic *t = toxic_of(r, p);

	if (!t)
		return;
	tcpproxy_remove_toxic(p, t);
	admin_empty(r, 204);
}

/* ---- everything */

static void
reset(struct admin_request *r)
{
	struct tcpproxy *p = NULL;
	struct tcpproxy_conf conf;
	struct why why = { "" };
	enum err e = ERR_OK;

	while (e == ERR_OK && (p = tcpset_next(r->set, p))) {
		tcpproxy_conf(p, &conf);
		conf.is_enabled = true;
		e = tcpproxy_set(p, &conf, &why);
		tcpproxy_remove_toxics(p);
	}
	if (e != ERR_OK)
		admin_error(r, 500, why.text);
	else
		admin_empty(r, 204);
}

static void
get_version(struct admin_request *r)
{
	admin_text(r, 200, "application/json;charset=utf-8",
	    slice_of(VERSION_BODY));
}

/* clang-format off */
const struct admin_route admin_routes[] = {
	{ "GET",        "/metrics",               metrics_get  },
	{ "POST",       "/populate",              populate     },
	{ "GET",        "/proxies",               list_proxies },
	{ "POST",       "/proxies",               create_proxy },
	{ "GET",        "/proxies/{}",            get_proxy    },
	{ "POST|PATCH", "/proxies/{}",            update_proxy },
	{ "DELETE",     "/proxies/{}",            delete_proxy },
	{ "GET",        "/proxies/{}/toxics",     list_toxics  },
	{ "POST",       "/proxies/{}/toxics",     create_toxic },
	{ "GET",        "/proxies/{}/toxics/{}",  get_toxic    },
	{ "POST|PATCH", "/proxies/{}/toxics/{}",  update_toxic },
	{ "DELETE",     "/proxies/{}/toxics/{}",  delete_toxic },
	{ "POST",       "/reset",                 reset        },
	{ "GET",        "/version",               get_version  },
};
/* clang-format on */

const size_t admin_nroutes = COUNT(admin_routes);
