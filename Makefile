# Every task by a verb. The book needs Python 3.11 or newer and make; its packages go into .venv. Tests: see README.md.
# Another interpreter: make book PYTHON=/path/to/python
# The exact versions of an edition: make book LOCKED=2, or LOCKED=1 for the newest; say so with every later command too.
PYTHON ?=
export PYTHON LOCKED

# $(call python,script arguments): run the script with the first Python that is new enough.
python = for p in "$$PYTHON" python3 python3.11 python3.12 python3.13 python3.14 python; do \
	  if "$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then exec "$$p" $(1); fi; \
	done; \
	echo "This book needs Python 3.11 or newer and none was found: install one, or name one with PYTHON=/path/to/python." >&2; \
	exit 1

.PHONY: help book serve watch check test test-all bench pdf links future mutants seeds experiments notebooks publish-notebooks test-notebooks run-notebooks lab messages translation pseudo pages report constraints course grade grade-safe try bench-grade clean

help:
	@echo "make book       build the book into _build/html: [LOCKED=<edition>]"
	@echo "make serve      build and show the book; make watch: again after every save"
	@echo "make check      a minute: lint, sources, what changed: [CHAPTER=<name>]"
	@echo "make test       everything that decides: [ONLY=<group or pattern>]"
	@echo "make test-all   also what takes long: Lighthouse, two builds, every notebook"
	@echo "make bench, bench-grade  measure builds and pages, the grader: [SUBMISSIONS=]"
	@echo "make pdf        print the book into one file, to which its pages then link"
	@echo "make links, future  follow links that lead out; build with the newest Sphinx"
	@echo "make mutants    which check catches which small fault? [ONLY=] [JOBS=]"
	@echo "make seeds      run the chapters with other random numbers: [N=200] [N=101-200]"
	@echo "make experiments  measure what takes long: [ONLY=] [JOBS=] [CLUSTER=]"
	@echo "make notebooks  write the chapters as notebooks into _build/notebooks"
	@echo "make publish-notebooks   push them as the branch notebooks: [REMOTE=origin]"
	@echo "make test-notebooks      run them with older libraries too: [PYTHONS=]"
	@echo "make run-notebooks       run them as they are: [FOLDER=] [PYTHON=] or [IMAGE=]"
	@echo "make lab        open the chapters in JupyterLab: [OPTIONS=--no-browser]"
	@echo "make messages, translation, pseudo  for translators: [LANGUAGE=zh_CN] [TEST=1]"
	@echo "make constraints  write down what is installed: EDITION=<number>"
	@echo "make course     write the assignments: [CHAPTER=<name>] [SEED=<text>] [WORK=]"
	@echo "make grade      ASSIGNMENT=<chapter> SUBMISSIONS=<folder or zip> [ROSTER=<csv>]"
	@echo "                [POLICY=<yaml>] [FORCE=<student>] [SEED=] [CLUSTER=] [PYTHONS=]"
	@echo "make try        run the visible tests: NOTEBOOK=; make grade-safe: safe here?"
	@echo "make pages, report  is Pages enabled? GH_REPO=; an issue for a failed week: RUN="
	@echo "make clean      remove _build: pages and stored results; course-work stays"

book:
	@$(call python,tools/environment.py tools/book.py build)

serve: book
	@$(call python,tools/book.py serve)

watch:
	@$(call python,tools/environment.py --extra test tools/watch.py)

links: book
	@$(call python,tools/environment.py tools/links.py)

future:
	@$(call python,tools/environment.py --system --extra test tools/future.py)

EXTRAS = --extra test --extra mutants --extra course

check:
	@$(call python,tools/environment.py $(EXTRAS) tools/run_tests.py check $(if $(CHAPTER),--chapter "$(CHAPTER)"))

test:
	@$(call python,tools/environment.py --system $(EXTRAS) tools/run_tests.py test $(if $(ONLY),--only "$(ONLY)"))

test-all:
	@$(call python,tools/environment.py --system $(EXTRAS) tools/run_tests.py test --all $(if $(ONLY),--only "$(ONLY)"))

bench:
	@$(call python,tools/environment.py --extra test tools/bench.py)

pdf: book
	@$(call python,tools/environment.py --extra pdf tools/pdf.py)

# ONLY=<pattern> and JOBS=<number> narrow a run; CLUSTER=<address> has the workers of a dask scheduler do it.
narrow = $(if $(ONLY),--only "$(ONLY)") $(if $(JOBS),--jobs $(JOBS)) $(if $(CLUSTER),--cluster "$(CLUSTER)")
engine = --extra mutants $(if $(CLUSTER),--extra course)
mutants:
	@$(call python,tools/environment.py --extra test $(engine) tools/mutants.py $(narrow))

N ?= 200
seeds:
	@$(call python,tools/environment.py $(engine) tools/seeds.py $(N) $(narrow))

experiments:
	@$(call python,tools/environment.py $(engine) tools/experiments.py $(narrow))

# BOOK_REPOSITORY=https://github.com/<owner>/<name> gives the pages their launch links, and the notebooks their package.
notebooks: book
	@$(call python,tools/environment.py tools/notebooks.py write)

REMOTE ?= origin
publish-notebooks:
	@$(call python,tools/notebooks.py publish "$(REMOTE)")

export PYTHONS
test-notebooks: book
	@$(call python,tools/environment.py --extra test tools/notebooks.py test)

# No environment is made: this is for a machine that has its own, or for IMAGE=<name>, such as Colab's, run by docker.
FOLDER ?= _build/notebooks
inside = docker run --rm --volume "$(CURDIR):/book" --workdir /book --entrypoint python3 "$(IMAGE)"
run-notebooks:
	@$(if $(IMAGE),$(inside) tools/notebooks.py run "$(FOLDER)",$(call python,tools/notebooks.py run "$(FOLDER)"))

# OPTIONS=<options of jupyter lab>, such as OPTIONS="--no-browser --port=9000"
lab:
	@$(call python,tools/environment.py --extra lab tools/lab.py $(OPTIONS))

messages: book
	@$(call python,tools/environment.py --extra test tools/translation.py messages)

translation: book
	@$(call python,tools/environment.py --extra test tools/translation.py build "$(LANGUAGE)")

pseudo: book
	@$(call python,tools/environment.py $(if $(TEST),--system) --extra test tools/translation.py pseudo $(if $(TEST),--test))

# For the workflow that publishes; it needs gh, GH_TOKEN and GH_REPO.
pages:
	@$(call python,tools/pages.py)

# For the weekly run: RUN is the address of the one that failed.
report:
	@$(call python,tools/report.py "$(RUN)")

# $(call given,NAMES): NAME=value for each name with a value, quoted for the shell, with every $ in it as it was typed.
quote = '$(subst ','\'',$(value $(1)))'
given = $(foreach name,$(1),$(if $(value $(name)),$(name)=$(call quote,$(name))))

course:
	@$(call python,tools/environment.py --extra course tools/course.py make $(call given,COURSE CHAPTER SEED WORK))

grade:
	@$(call python,tools/environment.py --extra course tools/course.py grade $(call given,ASSIGNMENT SUBMISSIONS SEED WORK ROSTER POLICY FORCE CLUSTER PROCESSES UNSAFE PYTHONS))

grade-safe:
	@$(call python,tools/environment.py --extra course tools/course.py safe)

try:
	@$(call python,tools/environment.py --extra course tools/course.py try $(call given,NOTEBOOK ASSIGNMENT COURSE UNSAFE PYTHONS))

bench-grade:
	@$(call python,tools/environment.py --extra course tools/course.py bench $(call given,ASSIGNMENT COURSE SEED PROCESSES SUBMISSIONS))

constraints:
	@$(call python,tools/environment.py --extra test --extra mutants --extra course --constraints "$(EDITION)")

clean:
	rm -rf _build
