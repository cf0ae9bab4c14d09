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

.PHONY: help book serve test bench pdf clean

help:
	@echo "make book    build the book into _build/html; the first time this also makes .venv, which takes some minutes"
	@echo "make serve   build the book and show it on a local address"
	@echo "make test    lint, build the book and run every test"
	@echo "make bench   measure how long the book takes to build and how much its pages weigh"
	@echo "make pdf     print the book into one file, _build/html/attention-and-order.pdf, which its pages then link to"
	@echo "make clean   remove _build: the pages and the stored results of the cells"

book:
	@$(call python,tools/environment.py tools/book.py build)

serve: book
	@$(call python,tools/book.py serve)

test:
	@$(call python,tools/environment.py --extra test tools/test.py)

bench:
	@$(call python,tools/environment.py --extra test tools/bench.py)

pdf: book
	@$(call python,tools/environment.py --extra test tools/pdf.py)

clean:
	rm -rf _build
