"""Coursework: one source per chapter becomes notebooks for students and graders, and a class is graded from it.

* ``author`` reads ``course/<chapter>.md`` into a bundle: a plain dictionary that holds everything.
* ``notebooks``, ``gradescope`` write what is handed out from a bundle.
* ``marks`` runs the tests of a bundle on functions, wherever these are; ``kit`` is what the tests may use.
* ``sandbox`` starts ``worker`` for a student's code; ``values`` carries numbers and arrays between the two processes.
* ``grade`` marks one submission, ``batch`` a folder of them, ``report`` writes what students and instructors read.

Nothing here is imported by a chapter, and nothing here imports the book's mathematics.
"""
