# Every task by a verb. Each but `serve` first makes .venv or brings it up to date: see tools/environment.py.
# Another Python: make book PYTHON=python3.12. The exact versions of an edition: make book LOCKED=2; use the same later.
PYTHON ?= python3
export LOCKED
venv = $(PYTHON) tools/environment.py
grading = $(venv) --grading
tests = --system --group check --group test --group cluster --group course --group pdf --group watch

.PHONY: help book serve watch check format test test-all lab pdf epub translation notebooks readme package publish-notebooks experiments evidence course grade grade-safe try clean

help: ## list the tasks
	@sed -nE 's/^([a-z-]+):[^#]*## /make \1  /p' Makefile

book: ## build the book into _build/html
	@$(venv) tools/book.py build

serve: book ## build the book and show it on a local address
	@$(PYTHON) tools/book.py serve

watch: ## show it, and build again after every save
	@$(venv) --group watch tools/book.py watch

check: ## look at what you changed, in seconds: [CHAPTER=sqrt-dk-scaling]
	@$(venv) --group check tools/run_tests.py check $(CHAPTER)

format: ## lay out the code: Python, scripts and style sheets
	@$(venv) --group check tools/run_tests.py format

test: ## decide whether the book is right, in minutes: [ONLY="folder, file or pattern"] [EDITIONS=none]
	@$(venv) $(tests) tools/run_tests.py test $(if $(filter none,$(EDITIONS)),--english) $(if $(ONLY),"$(ONLY)")

test-all: ## the same with what takes long: Lighthouse, two builds, every notebook: [ONLY=]
	@$(venv) $(tests) --group lab --group thorough tools/run_tests.py test --all $(if $(ONLY),"$(ONLY)")

lab: ## open the chapters in JupyterLab: [OPTIONS=--no-browser]
	@$(venv) --group lab tools/lab.py $(OPTIONS)

pdf: book ## print the book into one file, to which its pages then link: [BOOK_LANGUAGE=zh_CN]
	@$(venv) --group pdf tools/pdf.py

epub: book ## write the book as an EPUB, to which its pages then link: [BOOK_LANGUAGE=zh_CN]
	@$(venv) tools/epub.py

translation: book ## for translators: TASK=messages, TASK=pseudo, or [LANGUAGE=zh_CN]
	@$(venv) tools/translation.py $(or $(TASK),build) $(LANGUAGE)

notebooks: book ## write the branch `notebooks` into _build/notebooks: BOOK_REPOSITORY=https://github.com/me/book
	@$(venv) tools/notebooks.py write

readme: ## write the links in README.md and its picture: [BOOK_REPOSITORY=https://github.com/me/book]
	@$(venv) --group pdf tools/notebooks.py readme

package: ## build what PyPI takes into _build/package: BOOK_REPOSITORY=https://github.com/me/book
	@$(venv) --group package tools/distribution.py build

publish-notebooks: ## push them as the branch `notebooks`: [REMOTE=origin]
	@$(PYTHON) tools/notebooks.py publish $(REMOTE)

experiments: ## measure again what takes long and has changed: [ONLY=name] [JOBS=2] [CLUSTER=tcp://host:8786]
	@$(venv) $(if $(CLUSTER),--group cluster) tools/experiments.py $(narrow) $(if $(CLUSTER),--cluster "$(CLUSTER)")

evidence: ## see whether the checks catch planted faults and hold for other seeds: [ONLY=attention.py] [JOBS=2]
	@$(venv) $(tests) --group evidence evidence $(narrow)

# NAME=value for each of these variables that has a value, quoted for the shell with every $ in it as it was typed.
quote = '$(subst ','\'',$(value $(1)))'
given = $(foreach name,$(1),$(if $(value $(name)),$(name)=$(call quote,$(name))))
# Stop at a variable that was typed and that the task does not know, such as ROSTERS=; a make within a make looks at none.
typed = $(foreach name,$(.VARIABLES),$(if $(filter command,$(firstword $(origin $(name)))),$(name)))
unknown = $(if $(filter 0,$(MAKELEVEL)),$(filter-out $(1) PYTHON LOCKED,$(typed)))
known = $(if $(call unknown,$(1)),$(error $(firstword $(call unknown,$(1)))= is not known here; known are $(1)))
narrow = $(if $(ONLY),--only "$(ONLY)") $(if $(JOBS),--jobs $(JOBS))

course: ## write the assignments: [CHAPTER=name] [SEED=a-word] [COURSE=folder] [WORK=folder] [GRADERS=yes: Gradescope, nbgrader]
	$(call known,CHAPTER SEED COURSE WORK GRADERS)
	@$(if $(GRADERS),$(venv) --group course,$(grading)) tools/course.py make $(call given,COURSE CHAPTER SEED WORK GRADERS)

grade: ## grade a class: ASSIGNMENT=chapter SUBMISSIONS=folder-or-zip [ROSTER=csv] [TABLE=csv] [PATTERN="…"] [POLICY=yaml] [FORCE=student]
	$(call known,ASSIGNMENT SUBMISSIONS ROSTER TABLE PATTERN POLICY FORCE SEED WORK PROCESSES UNSAFE)
	@$(grading) tools/course.py grade $(call given,ASSIGNMENT SUBMISSIONS SEED WORK ROSTER TABLE PATTERN POLICY FORCE PROCESSES UNSAFE)

grade-safe: ## see whether this machine can grade in a sandbox
	$(call known,)
	@$(grading) tools/course.py safe

try: ## run the visible tests on one notebook: NOTEBOOK=file
	$(call known,NOTEBOOK ASSIGNMENT COURSE UNSAFE)
	@$(grading) tools/course.py try $(call given,NOTEBOOK ASSIGNMENT COURSE UNSAFE)

clean: ## remove _build: pages and stored results; course-work stays
	rm -rf _build
