"""A filter of system calls for a process that runs somebody else's code: Linux, x86-64.

Installed, the process and its threads can compute, wait, read files and use what is
open already.  They cannot start a process, send a signal, open a socket, or write,
create, rename or remove a file.  The kernel answers such a call with "not permitted",
and nothing in the process can take the filter off.
"""

from __future__ import annotations

import ctypes
import platform
import struct
import sys

__all__ = ["available", "install"]

_ARCH = 0xC000003E  # AUDIT_ARCH_X86_64
_ALLOW, _REFUSE, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_EPERM, _EACCES, _ENOTTY, _ENOSYS = 1, 13, 25, 38
_LOAD, _EQUAL, _ANY_BIT, _RETURN = 0x20, 0x15, 0x45, 0x06
_NO_NEW_PRIVILEGES, _SET_FILTER, _FILTER = 38, 22, 2

#: Calls that change nothing outside of the process, by their numbers.
_HARMLESS = {
    "read": 0, "write": 1, "close": 3, "stat": 4, "fstat": 5, "lstat": 6, "poll": 7,
    "lseek": 8, "mmap": 9, "mprotect": 10, "munmap": 11, "brk": 12, "rt_sigaction": 13,
    "rt_sigprocmask": 14, "rt_sigreturn": 15, "pread64": 17, "readv": 19, "writev": 20,
    "access": 21, "pipe": 22, "select": 23, "sched_yield": 24, "mremap": 25,
    "madvise": 28, "dup": 32, "dup2": 33, "nanosleep": 35, "getpid": 39, "recvfrom": 45,
    "shutdown": 48, "getsockname": 51, "socketpair": 53, "setsockopt": 54,
    "getsockopt": 55, "exit": 60, "uname": 63, "fcntl": 72, "getcwd": 79,
    "readlink": 89, "gettimeofday": 96, "getrlimit": 97, "getrusage": 98,
    "sysinfo": 99, "times": 100, "getuid": 102, "getgid": 104, "geteuid": 107,
    "getegid": 108, "getppid": 110, "getpgrp": 111, "sigaltstack": 131,
    "arch_prctl": 158, "gettid": 186, "futex": 202, "sched_getaffinity": 204,
    "epoll_create": 213, "getdents64": 217, "set_tid_address": 218,
    "restart_syscall": 219, "fadvise64": 221, "clock_gettime": 228,
    "clock_getres": 229, "clock_nanosleep": 230, "exit_group": 231, "epoll_wait": 232,
    "epoll_ctl": 233, "newfstatat": 262, "readlinkat": 267, "faccessat": 269,
    "pselect6": 270, "ppoll": 271, "set_robust_list": 273, "get_robust_list": 274,
    "epoll_pwait": 281, "eventfd2": 290, "epoll_create1": 291, "dup3": 292,
    "pipe2": 293, "getrandom": 318, "membarrier": 324, "statx": 332, "rseq": 334,
    "close_range": 436, "faccessat2": 439,
}  # fmt: skip
_OPEN, _IOCTL, _SENDTO, _CLONE = 2, 16, 44, 56
_OPENAT, _PRLIMIT, _CLONE3 = 257, 302, 435
_WRITING = 0x3 | 0o100 | 0o1000 | 0o2000  # write, create, truncate, append
_IOCTLS = (0x5401, 0x5421, 0x5451, 0x541B)  # is it a terminal, do not block, ...
_THREAD = 0x10000

_Line = tuple[int, int, int, int]


def available() -> bool:
    """Whether this is a system for which the numbers here are right."""
    return (
        sys.platform == "linux"
        and platform.machine() == "x86_64"
        and sys.maxsize > 2**32
    )


def install() -> None:
    """Put the filter on this process, for good.

    Raises:
        OSError: the kernel does not take it.
    """
    lines = _program()
    code = b"".join(struct.pack("HBBI", *line) for line in lines)
    buffer = ctypes.create_string_buffer(code, len(code))

    class Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))

    program = Program(len(lines), ctypes.addressof(buffer))
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    prctl.argtypes = [ctypes.c_int, *[ctypes.c_ulong] * 4]
    for words in (
        (_NO_NEW_PRIVILEGES, 1, 0, 0, 0),
        (_SET_FILTER, _FILTER, ctypes.addressof(program), 0, 0),
    ):
        if prctl(*words):
            raise OSError(ctypes.get_errno(), "the kernel takes no filter of calls")


def _program() -> list[_Line]:
    def load(offset: int) -> _Line:
        return (_LOAD, 0, 0, offset)

    def argument(number: int, *, high: bool = False) -> _Line:
        return load(16 + 8 * number + 4 * high)

    def give(answer: int) -> _Line:
        return (_RETURN, 0, 0, answer)

    def refuse(error: int) -> _Line:
        return give(_REFUSE | error)

    def case(number: int, *then: _Line) -> list[_Line]:
        return [(_EQUAL, 0, len(then), number), *then]

    def only_reading(place: int) -> list[_Line]:
        return [
            argument(place),
            (_ANY_BIT, 0, 1, _WRITING),
            refuse(_EACCES),
            give(_ALLOW),
        ]

    def only_null(place: int) -> list[_Line]:
        return [
            argument(place),
            (_EQUAL, 0, 3, 0),
            argument(place, high=True),
            (_EQUAL, 0, 1, 0),
            give(_ALLOW),
            refuse(_EPERM),
        ]

    lines = [load(4), (_EQUAL, 1, 0, _ARCH), give(_KILL), load(0)]
    for number in _HARMLESS.values():
        lines += case(number, give(_ALLOW))
    lines += case(_OPEN, *only_reading(1))
    lines += case(_OPENAT, *only_reading(2))
    lines += case(_SENDTO, *only_null(4))  # to the other end, to no address
    lines += case(_PRLIMIT, *only_null(2))  # ask for limits, set none
    # Threads, no processes.  The flags of clone3 cannot be seen: libc then uses clone.
    threads = [argument(0), (_ANY_BIT, 0, 1, _THREAD), give(_ALLOW), refuse(_EPERM)]
    lines += case(_CLONE, *threads)
    lines += case(_CLONE3, refuse(_ENOSYS))
    ioctls = [line for word in _IOCTLS for line in case(word, give(_ALLOW))]
    lines += case(_IOCTL, argument(1), *ioctls, refuse(_ENOTTY))
    return [*lines, refuse(_EPERM)]
