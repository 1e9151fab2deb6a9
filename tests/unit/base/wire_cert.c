/* A throwaway certificate; apart from wire.c because OpenSSL's headers and
 * base/err.h claim the same names. */
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>

void wire_make_certificate(const char *cert_file, const char *key_file);

static void
add_extension(X509 *cert, int nid, const char *value)
{
	X509_EXTENSION *ext = X509V3_EXT_conf_nid(NULL, NULL, nid, value);

	if (!ext || X509_add_ext(cert, ext, -1) != 1)
		abort();
	X509_EXTENSION_free(ext);
}

void
wire_make_certificate(const char *cert_file, const char *key_file)
{
	EVP_PKEY *key = EVP_EC_gen("P-256");
	X509 *cert = X509_new();
	X509_NAME *name = X509_get_subject_name(cert);
	FILE *f;

	X509_set_version(cert, 2);
	ASN1_INTEGER_set(X509_get_serialNumber(cert), 1);
	X509_gmtime_adj(X509_getm_notBefore(cert), -3600);
	X509_gmtime_adj(X509_getm_notAfter(cert), 3600);
	X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
	    (const unsigned char *)"test", -1, -1, 0);
	X509_set_issuer_name(cert, name);
	X509_set_pubkey(cert, key);
	add_extension(cert, NID_basic_constraints, "critical,CA:TRUE");
	add_extension(cert, NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1");
	if (X509_sign(cert, key, EVP_sha256()) == 0)
		abort();
	f = fopen(cert_file, "w");
	if (!f || PEM_write_X509(f, cert) != 1 || fclose(f) != 0)
		abort();
	f = fopen(key_file, "w");
	if (!f ||
	    PEM_write_PrivateKey(f, key, NULL, NULL, 0, NULL, NULL) != 1 ||
	    fclose(f) != 0)
		abort();
	X509_free(cert);
	EVP_PKEY_free(key);
}
