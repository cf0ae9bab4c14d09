# Every task by a verb. Python 3.11 or newer and make are all that must be there; the rest is installed into .venv.
# Another interpreter: make book PYTHON=/path/to/python
PYTHON ?=
export PYTHON

# $(call python,script arguments): run the script with the first Python that is new enough.
python = for p in "$$PYTHON" python3 python3.11 python3.12 python3.13 python3.14 python; do \
	  if "$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then exec "$$p" $(1); fi; \
	done; \
	echo "This book needs Python 3.11 or newer and none was found: install one, or name one with PYTHON=/path/to/python." >&2; \
	exit 1

.PHONY: help book serve test bench pdf mutants seeds notebooks publish-notebooks test-notebooks run-notebooks lab report course grade try bench-grade clean

help:
	@echo "make book    build the book into _build/html; the first time this also makes .venv, which takes some minutes"
	@echo "make serve   build the book and show it on a local address"
	@echo "make test    lint, build the book and run every test"
	@echo "make bench   measure builds and pages: seconds, weights, and what Lighthouse says"
	@echo "make pdf     print the book into one file, _build/html/attention-and-order.pdf, which its pages then link to"
	@echo "make mutants put small faults into copies of the book and see which check catches each; stop and go on at will"
	@echo "make seeds   run every chapter with other random numbers: make seeds N=200; stop and go on at will"
	@echo "make notebooks   write every chapter as a notebook that runs anywhere, with what Binder needs, into _build/notebooks"
	@echo "make publish-notebooks   push them as the branch notebooks: [REMOTE=origin]"
	@echo "make test-notebooks   run them with older libraries too: [PYTHONS=\"python3.12 python3.13\"]"
	@echo "make run-notebooks   run the notebooks of a folder with a Python as it is: [FOLDER=_build/notebooks] [PYTHON=python3]"
	@echo "make lab     open the chapters in JupyterLab as notebooks, with live sliders"
	@echo "make course  write the assignments of the chapters into course-work/assignments: [COURSE=<folder>] [SEED=<text>] [WORK=<folder>]"
	@echo "make grade   grade a class: make grade ASSIGNMENT=<chapter> SUBMISSIONS=<folder or zip> [ROSTER=<csv>] [POLICY=<yaml>] [FORCE=<student>] [CLUSTER=<address>]"
	@echo "make try     run the visible tests on one notebook, in the same sandbox: make try NOTEBOOK=<file>"
	@echo "make bench-grade   measure the grader, with Otter and nbgrader beside it"
	@echo "make clean   remove _build: the pages and the stored results of the cells; course-work stays"

book:
	@$(call python,tools/environment.py tools/book.py build)

serve: book
	@$(call python,tools/book.py serve)

test:
	@$(call python,tools/environment.py --extra test --extra mutants --extra course tools/test.py)

bench:
	@$(call python,tools/environment.py --extra test tools/bench.py)

pdf: book
	@$(call python,tools/environment.py --extra test tools/pdf.py)

# ONLY=<pattern> and JOBS=<number> narrow a run. The tests of the package need the extra test too.
mutants:
	@$(call python,tools/environment.py --extra test --extra mutants tools/mutants.py $(if $(ONLY),--only "$(ONLY)") $(if $(JOBS),--jobs $(JOBS)))

N ?= 200
seeds:
	@$(call python,tools/environment.py --extra mutants tools/seeds.py $(N) $(if $(ONLY),--only "$(ONLY)") $(if $(JOBS),--jobs $(JOBS)))

# BOOK_REPOSITORY=https://github.com/<owner>/<name> gives the pages their launch links, and the notebooks their package.
notebooks: book
	@$(call python,tools/environment.py tools/notebooks.py write)

REMOTE ?= origin
publish-notebooks:
	@$(call python,tools/notebooks.py publish "$(REMOTE)")

export PYTHONS
test-notebooks: book
	@$(call python,tools/environment.py --extra test tools/notebooks.py test)

# No environment is made: this is for a machine that has its own, such as Colab's image.
FOLDER ?= _build/notebooks
run-notebooks:
	@$(call python,tools/notebooks.py run "$(FOLDER)")

lab:
	@$(call python,tools/environment.py --extra lab tools/lab.py)

# For the weekly run: RUN is the address of the one that failed.
report:
	@$(call python,tools/report.py "$(RUN)")

# $(call given,NAMES): NAME=value for each name with a value, quoted for the shell, with every $ in it as it was typed.
quote = '$(subst ','\'',$(value $(1)))'
given = $(foreach name,$(1),$(if $(value $(name)),$(name)=$(call quote,$(name))))

course:
	@$(call python,tools/environment.py --extra course tools/course.py make $(call given,COURSE SEED WORK))

grade:
	@$(call python,tools/environment.py --extra course tools/course.py grade $(call given,ASSIGNMENT SUBMISSIONS SEED WORK ROSTER POLICY FORCE CLUSTER PROCESSES UNSAFE))

try:
	@$(call python,tools/environment.py --extra course tools/course.py try $(call given,NOTEBOOK ASSIGNMENT COURSE UNSAFE))

bench-grade:
	@$(call python,tools/environment.py --extra course tools/course.py bench $(call given,ASSIGNMENT COURSE SEED PROCESSES))

clean:
	rm -rf _build
