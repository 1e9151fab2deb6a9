/*
 * X.509 as strict clients want it: a root that says that it is one, key
 * identifiers on both, and a leaf with a name in its subjectAltName, for
 * servers alone and for few days.
 */
#include "chaos/http/certificate_fields.h"

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define DAY_S      86400L
#define ROOT_DAYS  3650
#define LEAF_DAYS  30
#define HOST_MAX   253 /* of a name, RFC 1035 */
#define SERIAL_MAX 16
#define CURVE      "P-256"
#define ROOT_NAME  "kf-chaos local CA"
#define LEAF_NAME  "kf-chaos"

struct certs_issuer {
	X509 *cert;         /* owned, as all below */
	EVP_PKEY *key;      /* the root's */
	EVP_PKEY *leaf_key; /* of all its leaves */
	char *leaf_text;    /* the same in PEM */
};

/* ---- texts */

/* What was written to out, which is freed. */
static char *
take_text(BIO *out, bool is_whole)
{
	char *p = NULL, *text = NULL;
	long n = out ? BIO_get_mem_data(out, &p) : 0;

	if (is_whole && n > 0)
		text = xstrndup(p, (size_t)n);
	BIO_free(out);
	ERR_clear_error();
	return text;
}

static char *
key_text(EVP_PKEY *key)
{
	BIO *out = BIO_new(BIO_s_mem());

	return take_text(out,
	    out && key &&
	        PEM_write_bio_PrivateKey(out, key, NULL, NULL, 0, NULL, NULL) ==
	            1);
}

static char *
cert_text(X509 *cert)
{
	BIO *out = BIO_new(BIO_s_mem());

	return take_text(out, out && PEM_write_bio_X509(out, cert) == 1);
}

static EVP_PKEY *
read_key(const char *text)
{
	BIO *in = BIO_new_mem_buf(text, -1);
	EVP_PKEY *key =
	    in ? PEM_read_bio_PrivateKey(in, NULL, NULL, NULL) : NULL;

	BIO_free(in);
	return key;
}

static X509 *
read_cert(const char *text)
{
	BIO *in = BIO_new_mem_buf(text, -1);
	X509 *cert = in ? PEM_read_bio_X509(in, NULL, NULL, NULL) : NULL;

	BIO_free(in);
	return cert;
}

char *
certs_new_key(void)
{
	EVP_PKEY *key = EVP_EC_gen(CURVE);
	char *text = key_text(key);

	EVP_PKEY_free(key);
	return text;
}

/* ---- certificates */

static bool
add(X509 *cert, X509 *issuer, int nid, const char *value)
{
	X509V3_CTX ctx;
	X509_EXTENSION *e;
	bool is_done;

	X509V3_set_ctx(&ctx, issuer, cert, NULL, NULL, 0);
	e = X509V3_EXT_conf_nid(NULL, &ctx, nid, value);
	is_done = e && X509_add_ext(cert, e, -1) == 1;
	X509_EXTENSION_free(e);
	return is_done;
}

static bool
set_serial(X509 *cert)
{
	unsigned char bytes[SERIAL_MAX];
	BIGNUM *n;
	bool is_done;

	if (RAND_bytes(bytes, sizeof bytes) != 1)
		return false;
	bytes[0] &= 0x7f; /* a positive number */
	n = BN_bin2bn(bytes, sizeof bytes, NULL);
	is_done = n && BN_to_ASN1_INTEGER(n, X509_get_serialNumber(cert));
	BN_free(n);
	return is_done;
}

static bool
set_name(X509_NAME *name, const char *text)
{
	return X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
	           (const unsigned char *)text, -1, -1, 0) == 1;
}

/* From a day ago: clocks differ. */
static X509 *
cert_new(EVP_PKEY *key, const char *name, X509 *issuer, int days)
{
	X509 *cert = X509_new();

	if (cert && X509_set_version(cert, X509_VERSION_3) == 1 &&
	    set_serial(cert) && X509_set_pubkey(cert, key) == 1 &&
	    X509_gmtime_adj(X509_getm_notBefore(cert), -DAY_S) &&
	    X509_gmtime_adj(X509_getm_notAfter(cert), days * DAY_S) &&
	    set_name(X509_get_subject_name(cert), name) &&
	    X509_set_issuer_name(cert,
	        X509_get_subject_name(issuer ? issuer : cert)) == 1)
		return cert;
	X509_free(cert);
	return NULL;
}

char *
certs_new_root(const char *key_pem)
{
	EVP_PKEY *key = read_key(key_pem);
	X509 *cert = key ? cert_new(key, ROOT_NAME, NULL, ROOT_DAYS) : NULL;
	char *text = NULL;

	if (cert &&
	    add(cert, cert, NID_basic_constraints,
	        "critical,CA:TRUE,pathlen:0") &&
	    add(cert, cert, NID_key_usage, "critical,keyCertSign,cRLSign") &&
	    add(cert, cert, NID_subject_key_identifier, "hash") &&
	    X509_sign(cert, key, EVP_sha256()) > 0)
		text = cert_text(cert);
	X509_free(cert);
	EVP_PKEY_free(key);
	ERR_clear_error();
	return text;
}

/* ---- leaves */

struct certs_issuer *
certs_issuer_new(const char *cert, const char *key,
    char reason[CERTS_REASON_MAX])
{
	struct certs_issuer *i = xcalloc(1, sizeof *i);

	i->cert = read_cert(cert);
	i->key = read_key(key);
	i->leaf_key = EVP_EC_gen(CURVE);
	i->leaf_text = key_text(i->leaf_key);
	if (!i->cert || !i->key || !i->leaf_text)
		(void)snprintf(reason, CERTS_REASON_MAX, "%s",
		    !i->cert ? "the certificate is not in PEM"
		             : "the key is not in PEM");
	else if (X509_check_private_key(i->cert, i->key) != 1)
		(void)snprintf(reason, CERTS_REASON_MAX,
		    "the key is not the certificate's");
	else if (X509_check_ca(i->cert) < 1)
		(void)snprintf(reason, CERTS_REASON_MAX,
		    "the certificate is not that of a CA");
	else
		return i;
	ERR_clear_error();
	certs_issuer_free(i);
	return NULL;
}

void
certs_issuer_free(struct certs_issuer *i)
{
	if (!i)
		return;
	X509_free(i->cert);
	EVP_PKEY_free(i->key);
	EVP_PKEY_free(i->leaf_key);
	free(i->leaf_text);
	free(i);
}

const char *
certs_leaf_key(const struct certs_issuer *i)
{
	return i->leaf_text;
}

static bool
is_name(const char *host)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyz"
	                              "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	                              "0123456789-._";
	size_t n = strlen(host);

	return n > 0 && n <= HOST_MAX && strspn(host, allowed) == n;
}

/* No text of OpenSSL's is made of it: what came from outside stays a value. */
static GENERAL_NAME *
name_of(const char *host)
{
	ASN1_OCTET_STRING *ip = a2i_IPADDRESS(host);
	GENERAL_NAME *name = GENERAL_NAME_new();
	ASN1_IA5STRING *dns;

	if (name && ip) {
		GENERAL_NAME_set0_value(name, GEN_IPADD, ip);
		return name;
	}
	dns = name && is_name(host) ? ASN1_IA5STRING_new() : NULL;
	if (dns && ASN1_STRING_set(dns, host, (int)strlen(host)) == 1) {
		GENERAL_NAME_set0_value(name, GEN_DNS, dns);
		return name;
	}
	ASN1_IA5STRING_free(dns);
	ASN1_OCTET_STRING_free(ip);
	GENERAL_NAME_free(name);
	return NULL;
}

static bool
add_host(X509 *cert, const char *host)
{
	GENERAL_NAMES *names = GENERAL_NAMES_new();
	GENERAL_NAME *name = name_of(host);
	bool is_done = false;

	if (names && name && sk_GENERAL_NAME_push(names, name) > 0) {
		name = NULL;
		is_done = X509_add1_ext_i2d(cert, NID_subject_alt_name, names,
		              0, X509V3_ADD_DEFAULT) == 1;
	}
	GENERAL_NAME_free(name);
	GENERAL_NAMES_free(names);
	return is_done;
}

char *
certs_issue(const struct certs_issuer *i, const char *host)
{
	X509 *cert = cert_new(i->leaf_key, LEAF_NAME, i->cert, LEAF_DAYS);
	char *text = NULL;

	if (cert && add_host(cert, host) &&
	    add(cert, i->cert, NID_basic_constraints, "critical,CA:FALSE") &&
	    add(cert, i->cert, NID_key_usage, "critical,digitalSignature") &&
	    add(cert, i->cert, NID_ext_key_usage, "serverAuth") &&
	    add(cert, i->cert, NID_subject_key_identifier, "hash") &&
	    add(cert, i->cert, NID_authority_key_identifier, "keyid:always") &&
	    X509_sign(cert, i->key, EVP_sha256()) > 0)
		text = cert_text(cert);
	X509_free(cert);
	ERR_clear_error();
	return text;
}
