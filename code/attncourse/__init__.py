"""Coursework: one source per chapter becomes notebooks for students and graders, and a class is graded from it.

* ``model`` has the values: assignment, question, mark, result. ``author`` reads an assignment from ``course/``.
* ``layouts`` writes what is handed out: ``notebooks``, and ``gradescope`` with Otter's zip. ``secrecy`` finds leaks.
* A submission goes through three processes. In the grader's, ``downloads`` loads its files, ``batch`` hands a class to
  examiners, and ``asking`` asks them. In an examiner's, ``examining`` answers, and ``student`` keeps one student's
  sandbox, which ``sandbox``, ``seccomp`` and ``cgroup`` build. In the sandbox, ``worker`` runs the cells that
  ``reading`` has read, with ``standins`` for what only Jupyter and Colab have: ``choosing`` finds the notebooks among
  the files, ``parsing`` parses them, ``translating`` makes plain Python of the cells, and ``finding`` finds the answers
  in them; ``scopes`` says what names mean there, ``tokens`` what is compared of answers, and ``spoken`` what a student
  can be asked of them. ``exchange`` has the messages of the first pipe; ``protocol`` carries messages through both.
* ``marks`` marks what the functions return, in an examiner; ``kit`` is what tests may use; ``replaying`` recognises the
  slips that an assignment names, and ``shares`` says what each of them keeps.
* Before that way, ``archives`` opens a folder or a zip, ``platforms`` returns every way to read a name, ``tables`` has
  what the instructor says of a file, and ``submissions`` the values of all this.
* ``roster`` reads who should be there, ``whose`` says which of them a submission is of, ``policy`` what the instructor
  decides beside the tests; ``classlist`` says who is who in the class, and ``gradebook`` what counts; ``history``
  says what changed since the last run, ``first_round`` remembers the marks before students handed in again,
  ``similar`` finds wrong answers that are alike and rare, ``items`` says what the class shows of the assignment.
  ``gradefiles`` writes all of it, and ``together`` puts it in place as a whole.
* ``report``, ``marking``, ``oral``, ``lists``, ``hidden_tests`` and ``exports`` have what students, instructors and
  platforms read, ``cells`` says what a cell of a platform's table means, and all of it goes through ``clean``.

Nothing here is imported by a chapter, and nothing here imports the book's mathematics.
"""
