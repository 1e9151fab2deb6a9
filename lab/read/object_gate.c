/*
 * What a loader acts on are the program headers and the dynamic section; the
 * section headers only tell people where things came from.  All three are
 * looked at: a section of a name that is not known is a candidate's own.
 *
 * Objects are the machine's own, so <elf.h>'s structures fit; every offset in
 * them is checked against the bytes that are there.
 */
#include "lab/read/object_gate.h"

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEADERS_MAX 64
#define OWN_NAMES   "_pocl_kernel_"

struct object {
	const char *bytes;
	size_t n;
	Elf64_Ehdr head;
	struct why *why;
};

/* Parts of the file that a header names. */
struct part {
	const char *p;
	size_t n;
};

static const uint32_t segment_types[] = { PT_DYNAMIC, PT_GNU_EH_FRAME,
	PT_GNU_PROPERTY, PT_GNU_RELRO, PT_GNU_STACK, PT_LOAD, PT_NOTE,
	PT_PHDR };

/* No initialiser, no other place to look for libraries, no text to change. */
static const int64_t dynamic_tags[] = {
	DT_FLAGS,
	DT_FLAGS_1,
	DT_GNU_HASH,
	DT_HASH,
	DT_JMPREL,
	DT_NEEDED,
	DT_PLTGOT,
	DT_PLTREL,
	DT_PLTRELSZ,
	DT_RELA,
	DT_RELAENT,
	DT_RELASZ,
	DT_STRSZ,
	DT_STRTAB,
	DT_SYMENT,
	DT_SYMTAB,
	DT_VERNEED,
	DT_VERNEEDNUM,
	DT_VERSYM,
};

static const char *const libraries[] = { "libc.so.6", "libm.so.6" };

/* What is in memory while it runs.  No name here is writable but for the
 * linker's own tables. */
static const char *const sections[] = {
	".dynamic",
	".dynstr",
	".dynsym",
	".eh_frame",
	".eh_frame_hdr",
	".gnu.hash",
	".gnu.version",
	".gnu.version_r",
	".got",
	".got.plt",
	".hash",
	".note.gnu.build-id",
	".note.gnu.property",
	".plt",
	".plt.got",
	".plt.sec",
	".rela.dyn",
	".rela.plt",
	".rodata",
	".text",
};

static const char *const executable_sections[] = { ".plt", ".plt.got",
	".plt.sec", ".text" };
static const char *const writable_sections[] = { ".dynamic", ".got",
	".got.plt" };

/* What compiled built-ins call; sorted. */
static const char *const imports[] = {
	"memcpy",
	"memmove",
	"memset",
};

static bool
is_among(const char *s, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(s, list[i]) == 0)
			return true;
	return false;
}

static enum err
broken(struct object *o)
{
	return why_set(o->why, ERR_SYNTAX,
	    "what the compiler made is no shared object");
}

static enum err
refuse(struct object *o, const char *what, const char *name)
{
	return why_set(o->why, ERR_DENIED,
	    "what the compiler made is not loaded: %s (%.40s)", what, name);
}

/* size bytes at an offset of the file; n 0: they are not all there. */
static struct part
part_at(const struct object *o, uint64_t at, uint64_t size)
{
	if (at > o->n || size > o->n - at)
		return (struct part){ o->bytes, 0 };
	return (struct part){ o->bytes + at, (size_t)size };
}

/* A terminated string of a table, or NULL. */
static const char *
string_at(struct part table, uint64_t at)
{
	if (at >= table.n || !memchr(table.p + at, '\0', table.n - (size_t)at))
		return NULL;
	return table.p + at;
}

static bool
read_segment(const struct object *o, size_t i, Elf64_Phdr *ret)
{
	struct part p =
	    part_at(o, o->head.e_phoff + i * sizeof *ret, sizeof *ret);

	if (p.n != sizeof *ret)
		return false;
	memcpy(ret, p.p, sizeof *ret);
	return true;
}

static bool
read_section(const struct object *o, size_t i, Elf64_Shdr *ret)
{
	struct part p =
	    part_at(o, o->head.e_shoff + i * sizeof *ret, sizeof *ret);

	if (p.n != sizeof *ret)
		return false;
	memcpy(ret, p.p, sizeof *ret);
	return true;
}

static enum err
check_head(struct object *o)
{
	static const uint16_t one = 1;
	unsigned char little = *(const unsigned char *)&one;
	struct part p = part_at(o, 0, sizeof o->head);

	if (p.n != sizeof o->head)
		return broken(o);
	memcpy(&o->head, p.p, sizeof o->head);
	if (memcmp(o->head.e_ident, ELFMAG, SELFMAG) != 0 ||
	    o->head.e_ident[EI_CLASS] != ELFCLASS64 ||
	    o->head.e_ident[EI_DATA] != (little ? ELFDATA2LSB : ELFDATA2MSB) ||
	    o->head.e_type != ET_DYN ||
	    o->head.e_phentsize != sizeof(Elf64_Phdr) ||
	    o->head.e_shentsize != sizeof(Elf64_Shdr) ||
	    o->head.e_phnum > HEADERS_MAX || o->head.e_shnum > HEADERS_MAX ||
	    o->head.e_shnum == 0)
		return broken(o);
	return ERR_OK;
}

static bool
is_known_segment(uint32_t type)
{
	for (size_t i = 0; i < COUNT(segment_types); i++)
		if (segment_types[i] == type)
			return true;
	return false;
}

static enum err
check_segments(struct object *o)
{
	Elf64_Phdr s;

	for (size_t i = 0; i < o->head.e_phnum; i++) {
		if (!read_segment(o, i, &s) ||
		    (s.p_filesz > 0 &&
		        part_at(o, s.p_offset, s.p_filesz).n == 0))
			return broken(o);
		if (!is_known_segment(s.p_type))
			return refuse(o, "a segment of another kind", "");
		if ((s.p_flags & PF_X) &&
		    ((s.p_flags & PF_W) || s.p_type != PT_LOAD))
			return refuse(o, "memory that is written and executed",
			    "");
	}
	return ERR_OK;
}

static enum err
check_section(struct object *o, const Elf64_Shdr *s, const char *name)
{
	/* Never in memory: what such a section holds is for debuggers and
	 * linkers. */
	if (!(s->sh_flags & SHF_ALLOC))
		return ERR_OK;
	if (!is_among(name, sections, COUNT(sections)))
		return refuse(o, "a section of another name", name);
	if ((s->sh_flags & SHF_EXECINSTR) &&
	    !is_among(name, executable_sections, COUNT(executable_sections)))
		return refuse(o, "a section that is executed", name);
	if ((s->sh_flags & SHF_WRITE) &&
	    !is_among(name, writable_sections, COUNT(writable_sections)))
		return refuse(o, "a section that is written", name);
	if (s->sh_flags & SHF_TLS)
		return refuse(o, "thread-local memory", name);
	return ERR_OK;
}

static enum err
check_sections(struct object *o)
{
	enum err e = ERR_OK;
	Elf64_Shdr s, strings;
	struct part table;

	if (!read_section(o, o->head.e_shstrndx, &strings))
		return broken(o);
	table = part_at(o, strings.sh_offset, strings.sh_size);
	for (size_t i = 0; i < o->head.e_shnum && e == ERR_OK; i++) {
		const char *name;

		if (!read_section(o, i, &s))
			return broken(o);
		name = string_at(table, s.sh_name);
		e = name ? check_section(o, &s, name) : broken(o);
	}
	return e;
}

/* The section of a type, of which there is at most one; false: none. */
static bool
find_section(const struct object *o, uint32_t type, Elf64_Shdr *ret)
{
	for (size_t i = 0; i < o->head.e_shnum; i++)
		if (read_section(o, i, ret) && ret->sh_type == type)
			return true;
	return false;
}

/* The strings that a section's entries name. */
static struct part
strings_of(const struct object *o, const Elf64_Shdr *s)
{
	Elf64_Shdr strings;

	if (s->sh_link >= o->head.e_shnum ||
	    !read_section(o, s->sh_link, &strings))
		return (struct part){ o->bytes, 0 };
	return part_at(o, strings.sh_offset, strings.sh_size);
}

static bool
is_known_tag(int64_t tag)
{
	for (size_t i = 0; i < COUNT(dynamic_tags); i++)
		if (dynamic_tags[i] == tag)
			return true;
	return false;
}

static enum err
check_tag(struct object *o, const Elf64_Dyn *d, struct part strings)
{
	char number[32];

	if (d->d_tag == DT_NEEDED) {
		const char *name = string_at(strings, d->d_un.d_val);

		if (!name || !is_among(name, libraries, COUNT(libraries)))
			return refuse(o, "another library", name ? name : "?");
	} else if ((d->d_tag == DT_FLAGS &&
	               (d->d_un.d_val & ~(uint64_t)DF_BIND_NOW)) ||
	    (d->d_tag == DT_FLAGS_1 && (d->d_un.d_val & ~(uint64_t)DF_1_NOW))) {
		return refuse(o, "a flag for the loader", "");
	} else if (!is_known_tag(d->d_tag)) {
		snprintf(number, sizeof number, "%#llx",
		    (unsigned long long)d->d_tag);
		return refuse(o, "an order for the loader", number);
	}
	return ERR_OK;
}

/* The loader finds it by its segment: the section must be the same. */
static enum err
check_dynamic(struct object *o)
{
	Elf64_Shdr s;
	Elf64_Phdr p;
	struct part table, strings;
	enum err e = ERR_OK;

	if (!find_section(o, SHT_DYNAMIC, &s))
		return broken(o);
	/* Two of them could say different things, one to us and one to the
	 * loader. */
	for (size_t i = 0; i < o->head.e_phnum; i++)
		if (!read_segment(o, i, &p) ||
		    (p.p_type == PT_DYNAMIC &&
		        (p.p_offset != s.sh_offset || p.p_filesz != s.sh_size)))
			return broken(o);
	table = part_at(o, s.sh_offset, s.sh_size);
	strings = strings_of(o, &s);
	for (size_t at = 0; at + sizeof(Elf64_Dyn) <= table.n && e == ERR_OK;
	     at += sizeof(Elf64_Dyn)) {
		Elf64_Dyn d;

		memcpy(&d, table.p + at, sizeof d);
		if (d.d_tag == DT_NULL)
			break;
		e = check_tag(o, &d, strings);
	}
	return e;
}

static int
by_name(const void *key, const void *row)
{
	return strcmp(key, *(const char *const *)row);
}

/* A table of constants, as newer compilers leave it to be seen: it lies in a
 * section that is neither written nor executed. */
static bool
is_table(const struct object *o, const Elf64_Sym *s)
{
	Elf64_Shdr at;

	return ELF64_ST_TYPE(s->st_info) == STT_OBJECT &&
	    s->st_shndx < o->head.e_shnum &&
	    read_section(o, s->st_shndx, &at) &&
	    (at.sh_flags & (SHF_ALLOC | SHF_WRITE | SHF_EXECINSTR)) ==
	    SHF_ALLOC;
}

static enum err
check_symbol(struct object *o, const Elf64_Sym *s, const char *name)
{
	unsigned type = ELF64_ST_TYPE(s->st_info);

	if (s->st_shndx == SHN_UNDEF) {
		if (!bsearch(name, imports, COUNT(imports), sizeof imports[0],
		        by_name))
			return refuse(o, "it calls another library", name);
		return ERR_OK;
	}
	if (!is_table(o, s) &&
	    (type != STT_FUNC ||
	        strncmp(name, OWN_NAMES, strlen(OWN_NAMES)) != 0))
		return refuse(o, "a symbol that is no kernel's", name);
	return ERR_OK;
}

static enum err
check_symbols(struct object *o)
{
	enum err e = ERR_OK;
	struct part table, strings;
	Elf64_Shdr s;

	if (!find_section(o, SHT_DYNSYM, &s))
		return broken(o);
	table = part_at(o, s.sh_offset, s.sh_size);
	strings = strings_of(o, &s);
	/* The first one is always empty. */
	for (size_t at = sizeof(Elf64_Sym);
	     at + sizeof(Elf64_Sym) <= table.n && e == ERR_OK;
	     at += sizeof(Elf64_Sym)) {
		Elf64_Sym sym;
		const char *name;

		memcpy(&sym, table.p + at, sizeof sym);
		name = string_at(strings, sym.st_name);
		e = name ? check_symbol(o, &sym, name) : broken(o);
	}
	return e;
}

/* May the loader do this?  Only fill in where an import is. */
static bool
is_good_relocation(uint16_t machine, uint32_t type)
{
	static const struct {
		uint16_t machine;
		uint32_t data, jump;
	} rows[] = {
		{ EM_X86_64, R_X86_64_GLOB_DAT, R_X86_64_JUMP_SLOT },
		{ EM_AARCH64, R_AARCH64_GLOB_DAT, R_AARCH64_JUMP_SLOT },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		if (rows[i].machine == machine)
			return type == rows[i].data || type == rows[i].jump;
	return false;
}

static enum err
check_relocations(struct object *o)
{
	Elf64_Shdr s;

	for (size_t i = 0; i < o->head.e_shnum; i++) {
		struct part table;

		/* Both machines that are known below have RELA alone; a REL
		 * table would be read by somebody, and not by us. */
		if (!read_section(o, i, &s) || s.sh_type == SHT_REL)
			return broken(o);
		if (s.sh_type != SHT_RELA)
			continue;
		table = part_at(o, s.sh_offset, s.sh_size);
		for (size_t at = 0; at + sizeof(Elf64_Rela) <= table.n;
		     at += sizeof(Elf64_Rela)) {
			Elf64_Rela r;

			memcpy(&r, table.p + at, sizeof r);
			if (!is_good_relocation(o->head.e_machine,
			        (uint32_t)ELF64_R_TYPE(r.r_info)))
				return refuse(o,
				    "an address for the loader to write", "");
		}
	}
	return ERR_OK;
}

typedef enum err look_fn(struct object *o);

static look_fn *const looks[] = { check_head, check_segments, check_sections,
	check_dynamic, check_symbols, check_relocations };

enum err
object_check(const void *bytes, size_t n, struct why *why)
{
	struct object o = { .bytes = bytes, .n = n, .why = why };
	enum err e = ERR_OK;

	for (size_t i = 0; i < COUNT(looks) && e == ERR_OK; i++)
		e = looks[i](&o);
	return e;
}
