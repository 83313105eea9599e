"""The bank of extra exercises, which go with the guide for teachers.

Their names have an x behind the hyphen: ``01-xorder``.  The tasks are in
``notebooks/NN_more_exercises.ipynb`` of the project, and their solutions in
``teaching/answers/``, which is no part of the site.  A folder for each chapter has a
module for each of its exercises, and is imported when one of them is asked for.
"""
