# make install [DESTDIR=] [PREFIX=/usr/local], and what it needs: manual pages
# and shell completion, both made from the programs' own option tables.

PREFIX  ?= /usr/local
BINDIR   = $(DESTDIR)$(PREFIX)/bin
SHARE    = $(DESTDIR)$(PREFIX)/share
INSTALL ?= install

man: $(O)/man/stamp
$(O)/man/stamp: $(PROGS) packaging/man.sh
	@sh packaging/man.sh $(O)/man $(PROGS)
	@touch $@

completion: $(O)/completion/stamp
$(O)/completion/stamp: $(PROGS) packaging/completion.sh
	@sh packaging/completion.sh $(O)/completion $(PROGS)
	@touch $@

install: all man completion
	$(INSTALL) -d $(BINDIR) $(SHARE)/man/man1 $(SHARE)/bash-completion/completions \
	    $(SHARE)/zsh/site-functions $(SHARE)/kernelforge/scenarios/presets \
	    $(SHARE)/doc/kernelforge/examples $(DESTDIR)$(PREFIX)/lib/systemd/system
	$(INSTALL) -m 755 $(PROGS) $(BINDIR)
	$(INSTALL) -m 644 $(O)/man/*.1 $(SHARE)/man/man1
	for p in $(notdir $(PROGS)); do \
	    $(INSTALL) -m 644 $(O)/completion/$$p.bash $(SHARE)/bash-completion/completions/$$p; \
	    $(INSTALL) -m 644 $(O)/completion/_$$p $(SHARE)/zsh/site-functions; done
	$(INSTALL) -m 644 scenarios/presets/*.json $(SHARE)/kernelforge/scenarios/presets
	$(INSTALL) -m 644 scenarios/scenario.schema.json $(SHARE)/kernelforge/scenarios
	$(INSTALL) -m 644 README.md CHANGELOG.md docs/*.md examples/gateway/*.yaml $(SHARE)/doc/kernelforge
	for u in packaging/systemd/*.service; do \
	    sed 's|@PREFIX@|$(PREFIX)|' $$u >$(DESTDIR)$(PREFIX)/lib/systemd/system/$${u##*/}; done

uninstall:
	rm -f $(addprefix $(BINDIR)/,$(notdir $(PROGS))) \
	    $(addprefix $(SHARE)/bash-completion/completions/,$(notdir $(PROGS))) \
	    $(addprefix $(SHARE)/zsh/site-functions/_,$(notdir $(PROGS))) \
	    $(SHARE)/man/man1/kernelforge*.1 $(SHARE)/man/man1/kf-*.1 \
	    $(DESTDIR)$(PREFIX)/lib/systemd/system/kf-*.service
	rm -rf $(SHARE)/kernelforge $(SHARE)/doc/kernelforge

.PHONY: man completion install uninstall
