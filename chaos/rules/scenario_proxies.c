/*
 * The proxies of a scenario: where each listens, what it forwards to or plays,
 * and what its mode needs.
 */
#include "chaos/rules/scenario_proxies.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/files.h"
#include "base/mem.h"

#define HOSTS_MAX      256 /* of a forward proxy */
#define TOOL_CALLS_MAX 1000

static const char *const mode_names[] = { [PROXY_LIVE] = "live",
	[PROXY_PASSTHROUGH] = "passthrough",
	[PROXY_RECORD] = "record",
	[PROXY_REPLAY] = "replay",
	[PROXY_SCRIPT] = "script",
	[PROXY_STANDIN] = "standin",
	[PROXY_FORWARD] = "forward",
	NULL };

const char *
proxy_mode_name(enum proxy_mode m)
{
	return mode_names[m];
}

static const char *const timing_names[] = { "kept", "fast", NULL };
static const char *const others_names[] = { "tunnel", "refuse", NULL };

struct raw_proxy {
	const char *listen, *upstream, *answers, *cassette;
	int timing; /* index of timing_names */
	bool header_faults, loop;
	int64_t tool_calls;
	int mode;
	json_t *tls, *hosts;
	const char *ca;
	int others; /* index of others_names */
	bool remote;
};

struct raw_tls {
	const char *ca, *cert, *key;
};

/* clang-format off */
static const struct jfield proxy_fields[] = {	/* sorted by key */
	{ "answers",  JF_STRING, 0,           0, 0, offsetof(struct raw_proxy, answers),  NULL },
	{ "ca",       JF_STRING, 0,           1, 4096, offsetof(struct raw_proxy, ca),    NULL },
	{ "cassette", JF_STRING, 0,           1, 4096, offsetof(struct raw_proxy, cassette), NULL },
	{ "header_faults", JF_BOOL, 0, 0, 0, offsetof(struct raw_proxy, header_faults), NULL },
	{ "hosts",    JF_ARRAY,  0,           1, HOSTS_MAX, offsetof(struct raw_proxy, hosts), NULL },
	{ "listen",   JF_STRING, JF_REQUIRED, 0, 0, offsetof(struct raw_proxy, listen),   NULL },
	{ "loop",     JF_BOOL,   0,           0, 0, offsetof(struct raw_proxy, loop),     NULL },
	{ "mode",     JF_ENUM,   0,           0, 0, offsetof(struct raw_proxy, mode),     mode_names },
	{ "others",   JF_ENUM,   0,           0, 0, offsetof(struct raw_proxy, others),   others_names },
	{ "remote",   JF_BOOL,   0,           0, 0, offsetof(struct raw_proxy, remote),   NULL },
	{ "timing",   JF_ENUM,   0,           0, 0, offsetof(struct raw_proxy, timing),   timing_names },
	{ "tls",      JF_OBJECT, 0,           0, 0, offsetof(struct raw_proxy, tls),      NULL },
	{ "tool_calls", JF_INT,  0,           1, TOOL_CALLS_MAX, offsetof(struct raw_proxy, tool_calls), NULL },
	{ "upstream", JF_STRING, 0,           0, 0, offsetof(struct raw_proxy, upstream), NULL },
};

static const struct jfield tls_fields[] = {	/* sorted by key */
	{ "ca",   JF_STRING, 0, 1, 4096, offsetof(struct raw_tls, ca),   NULL },
	{ "cert", JF_STRING, 0, 1, 4096, offsetof(struct raw_tls, cert), NULL },
	{ "key",  JF_STRING, 0, 1, 4096, offsetof(struct raw_tls, key),  NULL },
};
/* clang-format on */

const struct jfield *
scenario_proxy_fields(enum scenario_part part, size_t *n)
{
	*n = part == SCENARIO_TLS ? COUNT(tls_fields) : COUNT(proxy_fields);
	return part == SCENARIO_TLS ? tls_fields : proxy_fields;
}

/* A path in the file is seen from the file's folder; owned. */
static char *
path_of(const struct scenario *s, const char *path)
{
	if (!path)
		return NULL;
	return path[0] == '/' ? xstrdup(path) : files_join(s->dir, path);
}

static enum err
read_tls(const struct scenario *s, json_t *v, const char *pointer,
    struct proxy_conf *p, struct why *why)
{
	struct raw_tls raw = { NULL, NULL, NULL };
	char at[300];
	enum err e;

	if (!v)
		return ERR_OK;
	snprintf(at, sizeof at, "%s/tls", pointer);
	e = jfield_read(v, at, tls_fields, COUNT(tls_fields), &raw, why);
	if (e != ERR_OK)
		return e;
	if (p->mode == PROXY_PASSTHROUGH)
		return why_set(why, ERR_SYNTAX,
		    "%s: expected none on a passthrough proxy: bytes pass "
		    "untouched",
		    at);
	if (raw.ca ? raw.cert || raw.key : !raw.cert || !raw.key)
		return why_set(why, ERR_SYNTAX,
		    "%s: expected cert and key (files), or ca (a folder)", at);
	p->tls = (struct proxy_tls){ path_of(s, raw.cert), path_of(s, raw.key),
		path_of(s, raw.ca) };
	return ERR_OK;
}

static bool
names_hosts(const json_t *v)
{
	const char *text = json_string_value(v);
	size_t n = json_string_length(v);
	struct addr at;

	if (n > 0 && text[0] == '[')
		return text[n - 1] == ']' && addr_of_host(slice_of(text), &at);
	return n > 0 && !strpbrk(text, "/: ");
}

static enum err
read_forward(const struct scenario *s, const struct raw_proxy *raw,
    const char *pointer, struct proxy_conf *p, struct why *why)
{
	const json_t *v;
	size_t i;

	if (p->mode != PROXY_FORWARD)
		return why_set(why, ERR_SYNTAX,
		    "%s: ca, hosts, others and remote are for mode forward",
		    pointer);
	if (!raw->hosts || raw->upstream)
		return why_set(why, ERR_SYNTAX,
		    "%s: mode forward: expected hosts, those that meet the "
		    "rules, and no upstream",
		    pointer);
	json_array_foreach(raw->hosts, i, v)
		if (!names_hosts(v))
			return why_set(why, ERR_SYNTAX,
			    "%s/hosts/%zu: expected a host name, a glob of "
			    "some, or an IPv6 address in brackets, without "
			    "scheme and port",
			    pointer, i);
	if (!raw->remote && !addr_is_loopback(&p->listen))
		return why_set(why, ERR_SYNTAX,
		    "%s/listen: beyond this machine whoever reaches a forward "
		    "proxy may use it: expected \"remote\": true, or an "
		    "address of 127.0.0.1",
		    pointer);
	p->hosts = raw->hosts;
	p->refuses_others = raw->others != 0;
	p->is_remote = raw->remote;
	p->ca = path_of(s, raw->ca);
	return ERR_OK;
}

static enum err
check_upstream(const struct raw_proxy *raw, const char *pointer,
    struct why *why)
{
	const char *where = raw->upstream, *port;
	enum err e;

	if (!where)
		return raw->mode == PROXY_SCRIPT ||
		        raw->mode == PROXY_STANDIN ||
		        raw->mode == PROXY_REPLAY || raw->mode == PROXY_FORWARD
		    ? ERR_OK
		    : why_set(why, ERR_SYNTAX,
		          "%s/upstream: missing, expected where to forward to",
		          pointer);
	if (!where[0] || strchr(where, ' '))
		return why_set(why, ERR_SYNTAX,
		    "%s/upstream: found string \"%.60s\", expected HOST:PORT, "
		    "a URL or a name",
		    pointer, where);
	if (raw->mode == PROXY_PASSTHROUGH && strstr(where, "://"))
		return why_set(why, ERR_SYNTAX,
		    "%s/upstream: found string \"%.60s\", expected HOST:PORT "
		    "or a name: bytes pass untouched",
		    pointer, where);
	/* A name without a port is one that --upstream gives; where bytes pass a
	 * port may be a service's name. */
	port = strrchr(where, ':');
	if (!port ||
	    (raw->mode == PROXY_PASSTHROUGH &&
	        !isdigit((unsigned char)port[1])))
		return ERR_OK;
	e = url_parse_where(where, &(struct url){ .tls = false }, why);
	return e == ERR_OK ? e : why_prefix(why, e, "%s/upstream", pointer);
}

static enum err
read_proxy(struct scenario *s, const char *name, json_t *v, const char *pointer,
    struct why *why)
{
	struct raw_proxy raw = { .mode = PROXY_LIVE };
	struct proxy_conf *p = &s->proxies[s->nproxies];
	enum err e = jfield_read(v, pointer, proxy_fields, COUNT(proxy_fields),
	    &raw, why);

	if (e != ERR_OK)
		return e;
	*p = (struct proxy_conf){ .name = name,
		.mode = (enum proxy_mode)raw.mode,
		.upstream = raw.upstream };
	e = addr_parse(raw.listen, &p->listen, why);
	if (e != ERR_OK)
		return why_prefix(why, e, "%s/listen", pointer);
	if (p->mode == PROXY_FORWARD || raw.hosts || raw.ca || raw.remote ||
	    raw.others)
		e = read_forward(s, &raw, pointer, p, why);
	if (e != ERR_OK)
		return e;
	e = check_upstream(&raw, pointer, why);
	if (e != ERR_OK)
		return e;
	if (raw.tool_calls && p->mode != PROXY_STANDIN)
		return why_set(why, ERR_SYNTAX,
		    "%s/tool_calls: expected it on a proxy of mode standin "
		    "alone",
		    pointer);
	if (p->mode == PROXY_SCRIPT && !raw.answers)
		return why_set(why, ERR_SYNTAX,
		    "%s/answers: missing, expected a folder of answers",
		    pointer);
	if ((p->mode == PROXY_RECORD || p->mode == PROXY_REPLAY) &&
	    !raw.cassette)
		return why_set(why, ERR_SYNTAX,
		    "%s/cassette: missing, expected a file", pointer);
	p->is_fast = raw.timing != 0;
	p->loops = raw.loop;
	p->tool_calls = (size_t)raw.tool_calls;
	p->has_header_faults = raw.header_faults;
	p->answers = path_of(s, raw.answers);
	p->cassette = path_of(s, raw.cassette);
	s->nproxies++;
	return read_tls(s, raw.tls, pointer, p, why);
}

enum err
scenario_read_proxies(struct scenario *s, json_t *proxies, struct why *why)
{
	const char *name;
	json_t *v;
	char at[256];
	enum err e;

	if (json_object_size(proxies) > SCENARIO_PROXIES_MAX)
		return why_set(why, ERR_RANGE,
		    "/proxies: found %zu, expected at most %d",
		    json_object_size(proxies), SCENARIO_PROXIES_MAX);
	json_object_foreach(proxies, name, v) {
		snprintf(at, sizeof at, "/proxies/%s", name);
		/* '=' and the space separate the ready line, '|' a draw's text,
		 * '/' the parts of the admin API's paths. */
		if (!name[0] || strpbrk(name, " =|/"))
			return why_set(why, ERR_SYNTAX,
			    "%s: expected a name without space, =, | and /",
			    at);
		e = read_proxy(s, name, v, at, why);
		if (e != ERR_OK)
			return e;
	}
	return ERR_OK;
}
