"""Coursework: one source per chapter becomes notebooks for students and graders, and a class is graded from it.

* ``model`` has the values: assignment, question, mark, result. ``author`` reads an assignment from ``course/``.
* ``layouts`` writes what is handed out: ``notebooks``, and ``gradescope`` with Otter's zip. ``secrecy`` finds leaks.
* A submission goes one straight way through five modules: ``downloads`` loads its files, ``examiner`` runs them and the
  tests, ``reading`` and ``worker`` read and run them inside the sandbox, ``marks`` marks what the functions return.
* Beside that way, ``archives`` opens a folder or a zip, ``platforms`` returns every way to read a name, ``tables`` has
  what the instructor says of a file, and ``handed`` the values of all this. ``batch`` hands a class to examiners,
  ``kit`` is what tests may use, and ``standins`` is what only Jupyter and Colab have. ``sandbox``, ``seccomp`` and
  ``cgroup`` build the walls; ``protocol`` carries messages between processes that do not trust each other.
* ``roster`` says who should be there, ``policy`` what the instructor decides beside the tests; ``gradebook`` puts all
  together and writes it, ``history`` says what changed since the last run, ``similar`` finds wrong answers that are
  alike and rare.
* ``report``, ``lists`` and ``exports`` have what students, instructors and platforms read, and all of it goes through
  ``clean``.

Nothing here is imported by a chapter, and nothing here imports the book's mathematics.
"""
