"""Has a script clean up behind itself, however it is ended."""

import concurrent.futures
import contextlib
import signal
import sys


def clean_up():
    """From now on SIGTERM and SIGHUP run the `finally` clauses, as Ctrl-C does.

    Python leaves at once otherwise, and what the script has made and started would stay. What is
    ignored, as nohup has it, stays so.
    """
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _leave)


@contextlib.contextmanager
def threads(count):
    """A pool of threads; where the script is ended, what has not begun there is not waited for."""
    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        try:
            yield pool
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def _leave(number, _frame):
    sys.exit(128 + number)
