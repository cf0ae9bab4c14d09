"""Coursework: one source per chapter becomes notebooks for students and graders, and a class is graded from it.

* ``author`` reads ``course/<chapter>.md`` into a bundle: a plain dictionary that holds everything.
* ``layouts`` writes what is handed out from a bundle: ``notebooks``, and ``gradescope`` with Otter's zip.
* ``marks`` runs the tests of a bundle on functions, wherever these are; ``kit`` is what the tests may use; ``deadline``
  runs them in a process of their own.
* ``sandbox`` starts ``worker`` for a student's code, with ``seccomp``, ``cgroup`` and one of the ``pythons``;
  ``conversation`` asks it, and ``values`` carries numbers and arrays between the processes.
* ``downloads`` and ``files`` read what a platform hands over, ``roster`` who should be there, ``reading`` the cells of
  a notebook as IPython would; ``standins`` takes the place of what only Jupyter and Colab have.
* ``grade`` marks one submission, ``batch`` a folder of them. ``policy`` is what the instructor decides beside the
  tests, ``gradebook`` puts both together, ``similar`` finds answers that are alike.
* ``report``, ``tables`` and ``exports`` write what students, instructors and platforms read.

Nothing here is imported by a chapter, and nothing here imports the book's mathematics.
"""
