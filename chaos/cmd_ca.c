/*
 * kf-chaos ca: makes the local CA that proxies with TLS and forward proxies
 * show leaves of, and says how a client comes to trust it.  It puts nothing
 * into the system's store.
 */
#include "chaos/commands.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/files.h"
#include "chaos/http/certificate_authority.h"

static const struct opt_command command = {
	.name = "kf-chaos ca",
	.usage = "[FOLDER]",
	.about = "Makes a local CA in a folder, or finds the one that is "
	         "there, and says how to trust it.  Without a folder it is "
	         "kf-chaos in the user's data folder.  Its key is the owner's "
	         "alone.",
	.args_max = 1,
	.examples = "kf-chaos ca\tfor --tls-ca and mode forward\n",
};

static void
say_trust(const char *cert)
{
	printf("%s\n\n"
	       "Trust it where it is needed, and only there:\n"
	       "  curl     curl --cacert %s URL\n"
	       "  Node     NODE_EXTRA_CA_CERTS=%s node ...\n"
	       "  Python   SSL_CERT_FILE=%s python ...  (requests: "
	       "REQUESTS_CA_BUNDLE)\n"
	       "  Go, OpenSSL   SSL_CERT_FILE=%s\n"
	       "SSL_CERT_FILE takes the place of the system's certificates: "
	       "behind a forward\nproxy that is what tunnelled hosts need "
	       "too; append the system's to a copy.\n",
	    cert, cert, cert, cert, cert);
}

static int
fail(enum err e, const struct why *why)
{
	(void)command_end(&cmd_ca, e, why);
	return e == ERR_SYNTAX || e == ERR_EXISTS ? EXIT_USAGE : EXIT_ENV;
}

static int
run_ca(int argc, char **argv)
{
	const char *args[1] = { NULL };
	size_t nargs = 0;
	struct authority *a = NULL;
	struct why why = { "" };
	bool made = false;
	int code;
	char *dir = NULL, *cert = NULL;
	enum err e;

	if (!command_parse(&cmd_ca, argc, argv, NULL, args, &nargs, &code))
		return code;
	if (nargs && !args[0][0]) {
		fprintf(stderr,
		    "kf-chaos: the folder's name is empty: name one, or none "
		    "for the user's\n");
		return EXIT_USAGE;
	}
	dir = nargs ? files_join(args[0], "") : authority_default_dir();
	if (!dir) {
		fprintf(stderr,
		    "kf-chaos: neither XDG_DATA_HOME nor HOME is set: name a "
		    "folder\n");
		return EXIT_USAGE;
	}
	cert = files_join(dir, AUTHORITY_CERT);
	e = authority_make(dir, &made, &why);
	if (e == ERR_OK)
		e = authority_open(dir, &a, &why);
	if (e == ERR_OK) {
		printf(made ? "made " : "found ");
		say_trust(cert);
	}
	code = e == ERR_OK ? EXIT_DONE : fail(e, &why);
	authority_free(a);
	free(cert);
	free(dir);
	return code;
}

const struct command cmd_ca = { "ca", &command, run_ca };
