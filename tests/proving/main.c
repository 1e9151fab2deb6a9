/*
 * The proving ground: the verifier's own test (docs/verification.md).
 *
 *	proving mutation	every corruption operator at every site of every
 *				known-good kernel: are all silent lies caught?
 *	proving soak		known-good kernels under many secret seeds: is
 *				none ever refused?
 *	proving adversary	mistakes planted by a grammar: is none ever
 *				accepted?
 *	proving composed	correct kernels in random styles: is none ever
 *				refused?
 *
 * Exit: 0 proved, 1 not, 2 usage, 3 no device.
 */
#include "tests/proving/proving.h"

#include <stdio.h>
#include <string.h>

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
} commands[] = {
	{ "mutation", proving_mutation },
	{ "soak", proving_soak },
	{ "adversary", proving_adversary },
	{ "composed", proving_composed },
};

int
main(int argc, char **argv)
{
	for (size_t i = 0; i < COUNT(commands); i++)
		if (argc > 1 && strcmp(argv[1], commands[i].name) == 0)
			return commands[i].run(argc - 1, argv + 1);
	fprintf(stderr,
	    "usage: proving mutation|soak|adversary|composed [--help]\n");
	return EXIT_USAGE;
}
