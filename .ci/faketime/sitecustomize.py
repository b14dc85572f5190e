"""For the runs at other moments: libfaketime refuses Python's `time.sleep` once the monotonic
clock stays real (clock_nanosleep to an instant: "Invalid argument"). Waiting for an event works."""

import threading
import time


def _sleep(seconds: float) -> None:
    threading.Event().wait(max(seconds, 0))


time.sleep = _sleep
