"""The course *On Time*: its experiments, the checks of its exercises, its models.

* :mod:`ontime.check`: the checks behind the exercises;
* :mod:`ontime.handout`: writes labs without solutions;
* :mod:`ontime.grade`: grades handed-in labs;
* :mod:`ontime.cpu_models`: CPU work on the loop, in threads and in processes;
* :mod:`ontime.cost`: what a coroutine costs in CPU time;
* :mod:`ontime.crossthread`: loops in threads, called from other threads;
* :mod:`ontime.leases`: messages whose leases run out, under any scheduler;
* :mod:`ontime.bus`: the same on a message bus;
* :mod:`ontime.measuring`: processes that measure, and records of what they measured;
* :mod:`ontime.figures`: charts of measured figures.

The tools are in :mod:`looplab`, which does not know this package.
"""
