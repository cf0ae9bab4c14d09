"""Coursework: one source per chapter becomes notebooks for students and graders, and a class is graded from it.

* ``model`` has the values: assignment, question, mark, result. ``author`` reads an assignment from ``course/``.
* ``layouts`` writes what is handed out: ``notebooks``, and ``gradescope`` with Otter's zip. ``secrecy`` finds leaks.
* A submission goes one straight way: ``downloads`` lists it and ``platforms`` says whose it is; ``batch`` hands it to
  an ``examiner``, a process that keeps a ``student`` in a ``sandbox`` and runs ``marks`` on the student's functions,
  with ``kit`` for the tests to use.
* Inside the sandbox ``worker`` lets ``reading`` choose and read the files, and runs the cells, with ``standins`` for
  what only Jupyter and Colab have. ``seccomp``, ``cgroup`` and ``pythons`` say what is around it; ``protocol`` carries
  questions and answers between processes that do not trust each other.
* ``roster`` says who should be there, ``policy`` what the instructor decides beside the tests; ``gradebook`` puts all
  together, ``similar`` finds answers that are alike.
* ``report`` and ``exports`` write what students, instructors and platforms read, through ``clean``.

Nothing here is imported by a chapter, and nothing here imports the book's mathematics.
"""
