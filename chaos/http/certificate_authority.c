/*
 * The key is the authority: of two programs that make one at the same time
 * the first to link its key wins, and a certificate that is missing is made
 * from the key again, as good as any before it.
 *
 * Leaves are kept by name, so many at most, and made anew long before they
 * expire.
 */
#include "chaos/http/certificate_authority.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/mem.h"
#include "base/tls.h"
#include "chaos/http/certificate_fields.h"

#define PEM_MAX     65536
#define LEAVES_MAX  256
#define LEAF_OLD_MS (7ull * 86400 * 1000) /* of the 30 days it is good for */
#define OWNER_ONLY  0600
#define FOLDER_MODE 0700

struct leaf {
	char *name;             /* owned */
	struct tls_context *in; /* owned */
	uint64_t made_ms, used; /* used: authority.uses then */
};

struct authority {
	struct certs_issuer *issuer; /* owned */
	struct tls_context *server;  /* owned */
	struct leaf leaves[LEAVES_MAX];
	size_t n;
	uint64_t uses;
};

/* ---- the folder */

char *
authority_default_dir(void)
{
	const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");

	if (data && data[0] == '/')
		return files_join(data, "kf-chaos");
	return home && home[0] ? xasprintf("%s/.local/share/kf-chaos", home)
	                       : NULL;
}

/* A file that is whole the moment it is there, and that no one else made. */
static enum err
put_file(const char *path, const char *text, struct why *why)
{
	char *name = xasprintf("%s.XXXXXX", path);
	int fd = mkostemp(name, O_CLOEXEC); /* for its owner alone */
	size_t n = strlen(text);
	enum err e = ERR_OK;

	if (fd < 0) {
		e = why_set(why, ERR_IO, "%s: %s", path, strerror(errno));
		free(name);
		return e;
	}
	if (write(fd, text, n) != (ssize_t)n || fsync(fd) < 0)
		e = why_set(why, ERR_IO, "%s: %s", path, strerror(errno));
	else if (link(name, path) < 0)
		e = why_set(why, errno == EEXIST ? ERR_EXISTS : ERR_IO,
		    "%s: %s", path, strerror(errno));
	close(fd);
	(void)unlink(name);
	free(name);
	return e;
}

static enum err
make_file(const char *path, char *text, struct why *why)
{
	enum err e = text
	    ? put_file(path, text, why)
	    : why_set(why, ERR_ENV, "%s: OpenSSL cannot make it", path);

	if (text)
		explicit_bzero(text, strlen(text));
	free(text);
	return e;
}

static enum err
read_private(const char *path, char **ret, struct why *why)
{
	struct stat st;

	if (stat(path, &st) == 0 && (st.st_mode & 077) != 0)
		return why_set(why, ERR_DENIED,
		    "%s: others may read it; chmod 600, or make a new one if "
		    "they may have",
		    path);
	return files_read(path, PEM_MAX, ret, NULL, why);
}

static enum err
make_folder(const char *dir, struct why *why)
{
	enum err e;

	if (files_exists(dir))
		return ERR_OK;
	e = files_mkdirs(dir, why);
	if (e == ERR_OK && chmod(dir, FOLDER_MODE) < 0)
		e = why_set(why, ERR_IO, "%s: %s", dir, strerror(errno));
	return e;
}

enum err
authority_make(const char *dir, bool *made, struct why *why)
{
	char *cert = files_join(dir, AUTHORITY_CERT);
	char *key = files_join(dir, AUTHORITY_KEY), *text = NULL;
	enum err e = make_folder(dir, why);

	*made = false;
	if (e == ERR_OK && !files_exists(key)) {
		/* A certificate without its key is of no use to anybody. */
		if (files_exists(cert))
			e = why_set(why, ERR_EXISTS,
			    "%s: it is there, but " AUTHORITY_KEY " is not",
			    cert);
		else
			e = make_file(key, certs_new_key(), why);
		*made = e == ERR_OK;
		e = *made || files_exists(key) ? ERR_OK : e;
	}
	if (e == ERR_OK && !files_exists(cert)) {
		e = read_private(key, &text, why);
		if (e == ERR_OK)
			e = make_file(cert, certs_new_root(text), why);
		e = e == ERR_EXISTS ? ERR_OK : e;
	}
	if (text)
		explicit_bzero(text, strlen(text));
	free(text);
	free(cert);
	free(key);
	return e;
}

/* ---- leaves */

static void
leaf_done(struct leaf *l)
{
	tls_context_free(l->in);
	free(l->name);
	l->in = NULL;
	l->name = NULL;
}

/* The one of that name, or the place for it: a free one, or that which was
 * not asked for the longest. */
static struct leaf *
place_of(struct authority *a, const char *name)
{
	struct leaf *oldest = &a->leaves[0];

	for (size_t i = 0; i < a->n; i++) {
		if (strcasecmp(a->leaves[i].name, name) == 0)
			return &a->leaves[i];
		if (a->leaves[i].used < oldest->used)
			oldest = &a->leaves[i];
	}
	return a->n < LEAVES_MAX ? &a->leaves[a->n] : oldest;
}

static struct tls_context *
make_context(const struct authority *a, const char *name)
{
	char reason[TLS_REASON_MAX];
	char *cert = certs_issue(a->issuer, name);
	struct tls_context *in = cert
	    ? tls_server_of(cert, certs_leaf_key(a->issuer), reason)
	    : NULL;

	free(cert);
	return in;
}

static struct tls_context *
find_leaf(const char *name, void *arg)
{
	struct authority *a = arg;
	struct leaf *l = place_of(a, name);
	bool is_known = l->name && strcasecmp(l->name, name) == 0;
	uint64_t now = clock_mono_ms();
	struct tls_context *in;

	if (!is_known || now - l->made_ms > LEAF_OLD_MS) {
		in = make_context(a, name);
		if (!in)
			return NULL;
		if (!l->name)
			a->n++;
		leaf_done(l);
		*l = (struct leaf){ xstrdup(name), in, now, 0 };
	}
	l->used = ++a->uses;
	return l->in;
}

/* ---- the authority */

enum err
authority_open(const char *dir, struct authority **ret, struct why *why)
{
	char *cert_path = files_join(dir, AUTHORITY_CERT);
	char *key_path = files_join(dir, AUTHORITY_KEY);
	char *cert = NULL, *key = NULL, reason[CERTS_REASON_MAX];
	struct certs_issuer *issuer = NULL;
	enum err e = files_read(cert_path, PEM_MAX, &cert, NULL, why);

	if (e == ERR_OK)
		e = read_private(key_path, &key, why);
	if (e == ERR_NOTFOUND)
		e = why_set(why, ERR_NOTFOUND,
		    "%s: no CA there; kf-chaos ca %s makes one", dir, dir);
	if (e == ERR_OK && !(issuer = certs_issuer_new(cert, key, reason)))
		e = why_set(why, ERR_SYNTAX, "%s: %s", dir, reason);
	if (e == ERR_OK) {
		*ret = xcalloc(1, sizeof **ret);
		(*ret)->issuer = issuer;
		(*ret)->server = tls_server_by_name(find_leaf, *ret);
	}
	if (key)
		explicit_bzero(key, strlen(key));
	free(cert);
	free(key);
	free(cert_path);
	free(key_path);
	return e;
}

void
authority_free(struct authority *a)
{
	if (!a)
		return;
	for (size_t i = 0; i < a->n; i++)
		leaf_done(&a->leaves[i]);
	tls_context_free(a->server);
	certs_issuer_free(a->issuer);
	free(a);
}

struct tls_context *
authority_server(struct authority *a)
{
	return a->server;
}
