# src/Makevars as the sources below ROOT ask for it.  configure leaves one that has not changed its date; touched, it
# is not asked for again.
$(ROOT)/src/Makevars: $(ROOT)/src/Makevars.in $(ROOT)/configure $(ROOT)/tools/engines.sh
	@cd $(ROOT) && ./configure && touch src/Makevars
