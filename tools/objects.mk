# How programs of the core keep what they have built below BUILD in step with the sources.  Wants BUILD, CXX, FLAGS and
# BUILT, all objects.  An object is made by $(call compile,its flags) and needs $(BUILD)/flags, a program needs
# $(BUILD)/parts.

# An object is as old as the beginning of its compilation, so that what changed meanwhile is newer.  Its name in the
# list of its headers is given, because compiler caches may write another one for the same file.
define compile
@mkdir -p $(@D)
@echo "c++ $(<F)"
@touch $@.begin
@$(CXX) $(1) -MMD -MP -MT $@ -c $< -o $@
@touch -r $@.begin $@ && rm $@.begin
endef

# Other flags are other objects, other objects another program.
define told
@mkdir -p $(@D)
@echo '$(1)' >$@.new
@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
endef
$(BUILD)/flags: FORCE
	$(call told,$(CXX) $(FLAGS))
$(BUILD)/parts: FORCE
	$(call told,$(BUILT))

# The headers of each object; where nobody knows them any more, it is made anew.
-include $(BUILT:.o=.d)
ORPHANS := $(filter-out $(patsubst %.d,%.o,$(wildcard $(BUILT:.o=.d))),$(BUILT))
$(ORPHANS): FORCE

FORCE:
.PHONY: FORCE
