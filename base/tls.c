/*
 * TLS by OpenSSL: contexts, connections and the sorting of its errors.
 */
#include "base/tls.h"

#include "base/mem.h"
#include <arpa/inet.h>
#include <netdb.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/stat.h>

#define PROTOCOL   "http/1.1"
#define MAPPED_V4  "::ffff:"
#define NUMBER_MAX 64 /* an address in numbers */

struct tls_context {
	SSL_CTX *ssl;   /* owned */
	tls_find *find; /* NULL: one certificate */
	void *arg;
};

struct tls {
	SSL *ssl;   /* owned */
	char *name; /* owned; NULL: the address that was dialled */
	char reason[TLS_REASON_MAX];
	bool was_ready; /* OpenSSL says so no more once anything failed */
};

static struct tls_context *context_new(const SSL_METHOD *method);
static struct tls_context *server_new(void);
static void say_reason(char reason[TLS_REASON_MAX], const char *what);
static bool set_peer(SSL *ssl, const char *host);
static ssize_t sort_error(struct tls *t, int rc);

/* OpenSSL would wait for a pipe's writer, or read a device without end.
 * (base/files.h asks the same; its errors and OpenSSL's have names in common.)
 */
static bool
is_file(const char *path, char reason[TLS_REASON_MAX])
{
	struct stat s;
	bool is_pipe = lstat(path, &s) == 0 && S_ISFIFO(s.st_mode);

	if (!is_pipe &&
	    (stat(path, &s) < 0 ||
	        (!S_ISCHR(s.st_mode) && !S_ISBLK(s.st_mode))))
		return true;
	(void)snprintf(reason, TLS_REASON_MAX,
	    "%s: found a pipe or a device, expected a file", path);
	return false;
}

struct tls_context *
tls_server_new(const char *cert_file, const char *key_file,
    char reason[TLS_REASON_MAX])
{
	struct tls_context *c = server_new();

	ERR_clear_error();
	if (!is_file(cert_file, reason) || !is_file(key_file, reason))
		goto fail;
	if (SSL_CTX_use_certificate_chain_file(c->ssl, cert_file) != 1) {
		say_reason(reason, cert_file);
		goto fail;
	}
	if (SSL_CTX_use_PrivateKey_file(c->ssl, key_file, SSL_FILETYPE_PEM) !=
	        1 ||
	    SSL_CTX_check_private_key(c->ssl) != 1) {
		say_reason(reason, key_file);
		goto fail;
	}
	return c;
fail:
	tls_context_free(c);
	return NULL;
}

struct tls_context *
tls_server_of(const char *cert, const char *key, char reason[TLS_REASON_MAX])
{
	struct tls_context *c = server_new();
	BIO *cert_in = BIO_new_mem_buf(cert, -1);
	BIO *key_in = BIO_new_mem_buf(key, -1);
	X509 *x = cert_in ? PEM_read_bio_X509(cert_in, NULL, NULL, NULL) : NULL;
	EVP_PKEY *k =
	    key_in ? PEM_read_bio_PrivateKey(key_in, NULL, NULL, NULL) : NULL;

	if (!x || !k || SSL_CTX_use_certificate(c->ssl, x) != 1 ||
	    SSL_CTX_use_PrivateKey(c->ssl, k) != 1) {
		say_reason(reason, "certificate");
		tls_context_free(c);
		c = NULL;
	}
	X509_free(x);
	EVP_PKEY_free(k);
	BIO_free(cert_in);
	BIO_free(key_in);
	return c;
}

/* ---- what a server says */

static bool
offers(const unsigned char *in, unsigned n, const char *name)
{
	size_t len = strlen(name);

	for (unsigned i = 0; i < n; i += in[i] + 1u)
		if (in[i] == len && i + 1 + len <= n &&
		    memcmp(in + i + 1, name, len) == 0)
			return true;
	return false;
}

/* Of what a client offers HTTP/1.1 is taken; a client that offers none of our
 * protocols may mean another that rides on ours, but never HTTP/2. */
static int
on_alpn(SSL *ssl, const unsigned char **out, unsigned char *out_len,
    const unsigned char *in, unsigned in_len, void *arg)
{
	(void)ssl;
	(void)arg;
	if (offers(in, in_len, PROTOCOL)) {
		*out = (const unsigned char *)PROTOCOL;
		*out_len = sizeof PROTOCOL - 1;
		return SSL_TLSEXT_ERR_OK;
	}
	return offers(in, in_len, "h2") ? SSL_TLSEXT_ERR_ALERT_FATAL
	                                : SSL_TLSEXT_ERR_NOACK;
}

static struct tls_context *
server_new(void)
{
	struct tls_context *c = context_new(TLS_server_method());

	SSL_CTX_set_alpn_select_cb(c->ssl, on_alpn, NULL);
	return c;
}

/* The address that the client has dialled, in numbers; "" when unknown. */
static void
put_own_address(const SSL *ssl, char out[NUMBER_MAX])
{
	struct sockaddr_storage ss;
	socklen_t len = sizeof ss;
	size_t mapped = strlen(MAPPED_V4);

	if (getsockname(SSL_get_fd(ssl), (struct sockaddr *)&ss, &len) < 0 ||
	    getnameinfo((const struct sockaddr *)&ss, len, out, NUMBER_MAX,
	        NULL, 0, NI_NUMERICHOST) != 0)
		out[0] = '\0';
	if (strncasecmp(out, MAPPED_V4, mapped) == 0)
		memmove(out, out + mapped, strlen(out + mapped) + 1);
}

static int
on_certificate(SSL *ssl, void *arg)
{
	const struct tls_context *c = arg;
	const struct tls *t = SSL_get_app_data(ssl);
	const char *name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);
	const struct tls_context *found;
	char own[NUMBER_MAX];

	if (!name)
		name = t->name;
	if (!name) {
		put_own_address(ssl, own);
		name = own;
	}
	found = c->find(name, c->arg);
	return found &&
	    SSL_use_certificate(ssl, SSL_CTX_get0_certificate(found->ssl)) ==
	    1 &&
	    SSL_use_PrivateKey(ssl, SSL_CTX_get0_privatekey(found->ssl)) == 1;
}

struct tls_context *
tls_server_by_name(tls_find *find, void *arg)
{
	struct tls_context *c = server_new();

	c->find = find;
	c->arg = arg;
	SSL_CTX_set_cert_cb(c->ssl, on_certificate, c);
	return c;
}

struct tls_context *
tls_client_new(const char *ca_file, char reason[TLS_REASON_MAX])
{
	struct tls_context *c = context_new(TLS_client_method());
	int ok;

	if (ca_file && !is_file(ca_file, reason)) {
		tls_context_free(c);
		return NULL;
	}
	ERR_clear_error();
	SSL_CTX_set_verify(c->ssl, SSL_VERIFY_PEER, NULL);
	/* One of one's own beside the system's: providers on the net are
	 * asked too. */
	ok = SSL_CTX_set_default_verify_paths(c->ssl);
	if (ca_file)
		ok = SSL_CTX_load_verify_file(c->ssl, ca_file);
	if (ok == 1)
		return c;
	say_reason(reason, ca_file ? ca_file : "the system's certificates");
	tls_context_free(c);
	return NULL;
}

/* Dies when OpenSSL has no memory or no method: nothing from outside. */
static struct tls_context *
context_new(const SSL_METHOD *method)
{
	struct tls_context *c = xcalloc(1, sizeof *c);

	c->ssl = SSL_CTX_new(method);
	if (!c->ssl)
		abort();
	SSL_CTX_set_min_proto_version(c->ssl, TLS1_2_VERSION);
	SSL_CTX_set_mode(c->ssl,
	    SSL_MODE_ENABLE_PARTIAL_WRITE |
	        SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
	SSL_CTX_set_options(c->ssl,
	    SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
	return c;
}

void
tls_context_free(struct tls_context *c)
{
	if (!c)
		return;
	SSL_CTX_free(c->ssl);
	free(c);
}

static void
say_reason(char reason[TLS_REASON_MAX], const char *what)
{
	const char *text = ERR_reason_error_string(ERR_peek_error());

	(void)snprintf(reason, TLS_REASON_MAX, "%s: %s", what,
	    text ? text : "cannot be used");
	ERR_clear_error();
}

struct tls *
tls_new(struct tls_context *c, const char *host)
{
	struct tls *t = xcalloc(1, sizeof *t);

	t->ssl = SSL_new(c->ssl);
	if (!t->ssl || (host && !set_peer(t->ssl, host))) {
		tls_free(t);
		return NULL;
	}
	SSL_set_app_data(t->ssl, t);
	if (!host)
		SSL_set_accept_state(t->ssl);
	return t;
}

/* Numbers are verified as addresses and, as RFC 6066 asks, not announced. */
static bool
set_peer(SSL *ssl, const char *host)
{
	unsigned char number[sizeof(struct in6_addr)];

	SSL_set_connect_state(ssl);
	if (inet_pton(AF_INET, host, number) == 1 ||
	    inet_pton(AF_INET6, host, number) == 1)
		return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl),
		           host) == 1;
	/* What SSL_set_tlsext_host_name() does, but for its cast. */
	return SSL_set1_host(ssl, host) == 1 &&
	    SSL_ctrl(ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME,
	        TLSEXT_NAMETYPE_host_name, (void *)(uintptr_t)host) == 1;
}

void
tls_free(struct tls *t)
{
	if (!t)
		return;
	SSL_free(t->ssl);
	free(t->name);
	free(t);
}

void
tls_set_name(struct tls *t, const char *name)
{
	free(t->name);
	t->name = xstrdup(name);
}

void
tls_set_fd(struct tls *t, int fd)
{
	if (SSL_set_fd(t->ssl, fd) != 1)
		abort();
}

ssize_t
tls_read(struct tls *t, void *p, size_t n)
{
	size_t done;
	int rc;

	ERR_clear_error();
	rc = SSL_read_ex(t->ssl, p, n, &done);
	t->was_ready |= rc > 0;
	return rc > 0 ? (ssize_t)done : sort_error(t, rc);
}

ssize_t
tls_write(struct tls *t, const void *p, size_t n)
{
	size_t done;
	int rc;

	ERR_clear_error();
	rc = SSL_write_ex(t->ssl, p, n, &done);
	t->was_ready |= rc > 0;
	return rc > 0 ? (ssize_t)done : sort_error(t, rc);
}

static ssize_t
sort_error(struct tls *t, int rc)
{
	int why = SSL_get_error(t->ssl, rc);
	unsigned long code = ERR_peek_error();
	long verdict = SSL_get_verify_result(t->ssl);
	const char *text = ERR_reason_error_string(code);

	t->was_ready |= SSL_is_init_finished(t->ssl) == 1;
	if (why == SSL_ERROR_WANT_READ)
		return TLS_WANT_READ;
	if (why == SSL_ERROR_WANT_WRITE)
		return TLS_WANT_WRITE;
	if (why == SSL_ERROR_ZERO_RETURN)
		return TLS_EOF;
	if (verdict != X509_V_OK)
		text = X509_verify_cert_error_string(verdict);
	(void)snprintf(t->reason, sizeof t->reason, "%s",
	    text ? text : "connection lost");
	ERR_clear_error();
	if (t->was_ready &&
	    ERR_GET_REASON(code) == SSL_R_UNEXPECTED_EOF_WHILE_READING)
		return TLS_CUT;
	return t->was_ready && why == SSL_ERROR_SYSCALL ? TLS_RESET : TLS_BAD;
}

bool
tls_has_pending(const struct tls *t)
{
	return SSL_has_pending(t->ssl) == 1;
}

bool
tls_is_ready(const struct tls *t)
{
	return SSL_is_init_finished(t->ssl) == 1;
}

void
tls_close_notify(struct tls *t)
{
	ERR_clear_error();
	if (SSL_is_init_finished(t->ssl))
		(void)SSL_shutdown(t->ssl);
	ERR_clear_error();
}

void
tls_counted(const struct tls *t, uint64_t *sent, uint64_t *received)
{
	*sent = BIO_number_written(SSL_get_wbio(t->ssl));
	*received = BIO_number_read(SSL_get_rbio(t->ssl));
}

const char *
tls_reason(const struct tls *t)
{
	return t->reason;
}
