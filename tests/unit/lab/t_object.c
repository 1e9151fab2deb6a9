/*
 * Shared objects that a compiler of ours makes for this test: what a kernel
 * needs is loaded, anything more is refused, and no bytes break the reader.
 */
#include "lab/read/object_gate.h"

#include "base/files.h"
#include "base/mem.h"
#include "tests/unit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OBJECT_MAX ((size_t)1 << 20)
#define KERNEL     "void _pocl_kernel_k(int *p) { *p = 1; }\n"

/* clang-format off */
static const struct {
	const char *what, *text, *options;
	const char *reason; /* NULL: it may be loaded */
} rows[] = {
	{ "a kernel", KERNEL, "", NULL },
	{ "with constants", KERNEL "static const int t[4] = { 1, 2, 3, 4 };\nint _pocl_kernel_l(int i) { return t[i]; }\n", "", NULL },
	{ "with constants that are seen", KERNEL "const int t[4] = { 1, 2, 3, 4 };\nint _pocl_kernel_l(int i) { return t[i]; }\n", "", NULL },
	{ "data among the code", KERNEL "__asm__(\".text\\n.globl d\\n.type d,@object\\n.size d,4\\nd: .long 1\");\n", "", "no kernel's (d)" },
	{ "that copies", "void *memcpy(void *, const void *, unsigned long);\nvoid _pocl_kernel_k(void *p, void *q) { memcpy(p, q, 4096); }\n", "", NULL },
	{ "a constructor", KERNEL "__attribute__((constructor)) static void f(void) { __asm__ volatile(\"nop\"); }\n", "", "a section of another name (.init_array)" },
	{ "a destructor", KERNEL "__attribute__((destructor)) static void f(void) { __asm__ volatile(\"nop\"); }\n", "", "(.fini_array)" },
	{ "an initialiser by the linker", KERNEL "void _pocl_kernel_i(void) {}\n", "-Wl,-init,_pocl_kernel_i", "an order for the loader (0xc)" },
	{ "a section", KERNEL "__attribute__((section(\"mine\"))) const int t = 1;\n", "", "a section of another name (mine)" },
	{ "executable data", KERNEL "__asm__(\".section .more,\\\"ax\\\"\\n nop\\n .text\");\n", "", "(.more)" },
	{ "a variable", KERNEL "int v = 3;\n", "", "(.data)" },
	{ "memory that is cleared", KERNEL "int v[9];\n", "", "(.bss)" },
	{ "a variable of a thread", KERNEL "__thread int v = 3;\n", "", "refused" },
	{ "an address that the loader writes", KERNEL "static int v;\nint *const p = &v;\n", "-Wl,--build-id", "refused" },
	{ "a call of the C library", "int system(const char *);\nvoid _pocl_kernel_k(void) { system(\"id\"); }\n", "", "it calls another library (system)" },
	{ "another name", KERNEL "void malloc(void) {}\n", "", "no kernel's (malloc)" },
	{ "an indirect function", "static void f(void) {}\nstatic void (*r(void))(void) { return f; }\nvoid _pocl_kernel_k(void) __attribute__((ifunc(\"r\")));\n", "", "refused" },
	{ "another library", KERNEL, "-Wl,--no-as-needed -ldl -lcrypt -lpthread -lssl", "another library" },
	{ "a path to libraries", KERNEL, "-Wl,-rpath,/tmp", "an order for the loader" },
	{ "another loader", KERNEL, "-Wl,--audit,x.so", "an order for the loader" },
	{ "an executable stack", KERNEL, "-z execstack", "written and executed" },
	{ "text that is written", KERNEL, "-Wl,--omagic", "written and executed" },
};
/* clang-format on */

/* The object's bytes; NULL: this machine's compiler cannot make it. */
static char *
compile(size_t i, size_t *ret_n)
{
	char *source = xasprintf("%s/object.c", unit_tmpdir());
	char *object = xasprintf("%s/object.so", unit_tmpdir());
	char *command = xasprintf("cc -w -shared -fPIC -O1 "
	                          "-fno-stack-protector -nostartfiles "
	                          "-nodefaultlibs '%s' -o '%s' %s 2>/dev/null",
	    source, object, rows[i].options);
	char *bytes = NULL;

	remove(object);
	if (files_write(source, rows[i].text, strlen(rows[i].text), NULL) ==
	        ERR_OK &&
	    system(command) == 0 &&
	    files_read(object, OBJECT_MAX, &bytes, ret_n, NULL) != ERR_OK)
		bytes = NULL;
	free(source);
	free(object);
	free(command);
	return bytes;
}

static void
check_row(size_t i)
{
	struct why why = { "" };
	char *bytes;
	size_t n = 0;
	enum err e;

	bytes = compile(i, &n);
	if (!bytes) {
		CHECK(rows[i].reason != NULL, rows[i].what);
		return;
	}
	e = object_check(bytes, n, &why);
	if (!CHECK_INT(e == ERR_OK, rows[i].reason == NULL, rows[i].what))
		printf("  %s\n", why.text);
	if (rows[i].reason && e != ERR_OK &&
	    strcmp(rows[i].reason, "refused") != 0 &&
	    !strstr(why.text, rows[i].reason))
		CHECK_STR(why.text, rows[i].reason, rows[i].what);
	free(bytes);
}

/* Cut anywhere, and any byte of what is read turned over. */
static void
break_it(void)
{
	size_t n = 0;
	char *bytes = compile(2, &n);
	struct why why;

	for (size_t cut = 0; bytes && cut < n; cut += 1 + cut / 64) {
		char *copy = xmalloc(cut + 1);

		memcpy(copy, bytes, cut);
		CHECK(object_check(copy, cut, &why) != ERR_OK || cut > n / 2,
		    "half an object");
		free(copy);
	}
	for (size_t at = 0; bytes && at < n; at++) {
		char old = bytes[at];

		bytes[at] = (char)~old;
		(void)object_check(bytes, n, &why);
		bytes[at] = old;
	}
	free(bytes);
}

void
t_object(void)
{
	struct why why;

	for (size_t i = 0; i < COUNT(rows); i++)
		check_row(i);
	break_it();
	CHECK_INT(object_check("", 0, &why), ERR_SYNTAX, "nothing");
}
