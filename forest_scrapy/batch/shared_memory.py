"""Imported by the fork server of a pool last: what all workers read pages with is loaded once.

Workers share the memory of the fork server until they write to it.  A look for cyclic garbage
writes to all objects but to frozen ones, which are none for it.
"""

import gc

from forest_scrapy.batch.fork_server import IS_FORK_SERVER
from forest_scrapy.batch.work import load_models

if IS_FORK_SERVER:
    load_models()
    gc.collect()
    gc.freeze()
