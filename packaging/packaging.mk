# make install [DESTDIR=] [PREFIX=/usr/local] [SYSCONFDIR=], and what it needs:
# manual pages and shell completion, both made from the programs' own option
# tables.  The configuration goes to /etc, as it does for the system's prefixes,
# and elsewhere stays below the prefix: who has no root can install.
# make site       the documentation as HTML
# make deb        the Debian packages, in $(O)/deb; built outside of the tree

PREFIX  ?= /usr/local
SYSCONFDIR ?= $(if $(filter /usr /usr/local,$(PREFIX:%/=%)),,$(PREFIX))/etc
BINDIR   = $(DESTDIR)$(PREFIX)/bin
SHARE    = $(DESTDIR)$(PREFIX)/share
DOC      = $(SHARE)/doc/kernelforge
UNITDIR  = $(DESTDIR)$(PREFIX)/lib/systemd/system
ETC      = $(DESTDIR)$(SYSCONFDIR)/kernelforge
INSTALL ?= install

# What is made takes its place whole, so that who installs beside somebody who
# makes it anew copies no half of a file.
man: $(O)/man/stamp
$(O)/man/stamp: $(PROGS) packaging/man.sh
	@mkdir -p $(@D); new=$(@D).$$$$; sh packaging/man.sh $$new $(PROGS) && mv $$new/* $(@D) && rmdir $$new || { rm -rf $$new; exit 1; }
	@touch $@

completion: $(O)/completion/stamp
$(O)/completion/stamp: $(PROGS) packaging/completion.sh
	@mkdir -p $(@D); new=$(@D).$$$$; sh packaging/completion.sh $$new $(PROGS) && mv $$new/* $(@D) && rmdir $$new || { rm -rf $$new; exit 1; }
	@touch $@

# The units name the place of the programs, and have one hardening.
UNITS_SYSTEMD := $(notdir $(wildcard packaging/systemd/*.service))
units: $(addprefix $(O)/systemd/,$(UNITS_SYSTEMD))
$(O)/systemd/%.service: packaging/systemd/%.service packaging/systemd/hardening FORCE
	@mkdir -p $(@D)
	@sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@SYSCONFDIR@|$(SYSCONFDIR)|' -e '/@HARDENING@/{r packaging/systemd/hardening' -e 'd}' $< >$@.$$$$ && mv $@.$$$$ $@

# The configuration names its own place.
CONFIGURATION := $(notdir $(wildcard packaging/etc/*))
configuration: $(addprefix $(O)/etc/,$(CONFIGURATION))
$(O)/etc/%: packaging/etc/% FORCE
	@mkdir -p $(@D)
	@sed 's|/etc/kernelforge|$(SYSCONFDIR)/kernelforge|' $< >$@.$$$$ && mv $@.$$$$ $@

install: all man completion units configuration
	$(INSTALL) -d $(BINDIR) $(SHARE)/man/man1 $(SHARE)/bash-completion/completions \
	    $(SHARE)/zsh/site-functions $(SHARE)/kernelforge $(UNITDIR) $(ETC)
	$(INSTALL) -m 755 $(PROGS) $(BINDIR)
	$(INSTALL) -m 644 $(O)/man/*.1 $(SHARE)/man/man1
	for p in $(notdir $(PROGS)); do \
	    $(INSTALL) -m 644 $(O)/completion/$$p.bash $(SHARE)/bash-completion/completions/$$p; \
	    $(INSTALL) -m 644 $(O)/completion/_$$p $(SHARE)/zsh/site-functions; done
	cp -R scenarios $(SHARE)/kernelforge
	sh packaging/docs.sh $(DOC) $(PREFIX)
	$(INSTALL) -m 644 $(addprefix $(O)/systemd/,$(UNITS_SYSTEMD)) $(UNITDIR)
	for f in $(addprefix $(O)/etc/,$(CONFIGURATION)); do to=$(ETC)/$${f##*/}; \
	    [ -e $$to ] || $(INSTALL) -m $$(case $$f in *.env) echo 600 ;; *) echo 644 ;; esac) $$f $$to; done

# A configuration that somebody changed stays.
uninstall: configuration
	rm -f $(addprefix $(BINDIR)/,$(notdir $(PROGS))) \
	    $(addprefix $(SHARE)/bash-completion/completions/,$(notdir $(PROGS))) \
	    $(addprefix $(SHARE)/zsh/site-functions/_,$(notdir $(PROGS))) \
	    $(SHARE)/man/man1/kernelforge*.1 $(SHARE)/man/man1/kf-*.1 \
	    $(addprefix $(UNITDIR)/,$(UNITS_SYSTEMD))
	rm -rf $(SHARE)/kernelforge $(DOC)
	for f in $(addprefix $(O)/etc/,$(CONFIGURATION)); do to=$(ETC)/$${f##*/}; ! cmp -s $$f $$to || rm $$to; done

deb:
	@sh packaging/deb.sh $(O)/deb

# The documentation as HTML, in $(O)/site; wants cmark-gfm.
site:
	@sh packaging/site.sh $(O)/site

.PHONY: site man completion units configuration install uninstall deb FORCE
