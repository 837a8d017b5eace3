"""The tables of a spool, and its longer queries.

``pages`` has a small row for every page, for as long as the crawl lasts.  ``contents`` has what
was received; a row is deleted when its page is done and nothing is learned from it.
"""

from __future__ import annotations

from forest_scrapy.stores.article_table import ARTICLES_SCHEMA
from forest_scrapy.stores.fingerprints import FINGERPRINTS_SCHEMA
from forest_scrapy.stores.run_state import STATE_SCHEMA
from forest_scrapy.stores.thread_pages import THREADS_SCHEMA

__all__ = [
    "ADD_CONTENT",
    "ADD_PAGE",
    "DELETE_CONTENT",
    "DESCRIBE_CONTENT",
    "DESCRIBE_PAGE",
    "EMPTY_BODY",
    "FINISH_PAGE",
    "FORGET_PAGE",
    "OUT_OF_SAMPLE",
    "READ",
    "SCHEMA",
    "VERSION",
]

VERSION = 2

SCHEMA = f"""
CREATE TABLE IF NOT EXISTS pages (
    key TEXT PRIMARY KEY, state TEXT NOT NULL, host TEXT NOT NULL, is_article INTEGER NOT NULL,
    fingerprint TEXT NOT NULL, template_key TEXT NOT NULL, sample_key TEXT NOT NULL,
    has_content INTEGER NOT NULL, signals TEXT, outcome TEXT, outcome_detail TEXT
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS contents (
    key TEXT UNIQUE NOT NULL, url TEXT NOT NULL, entry TEXT, fetched_at TEXT NOT NULL,
    meta TEXT NOT NULL, status INTEGER NOT NULL, headers TEXT NOT NULL, encoding TEXT,
    is_compressed INTEGER NOT NULL, body BLOB NOT NULL
);
CREATE INDEX IF NOT EXISTS pages_pending ON pages (state, key) WHERE state <> 'done';
CREATE INDEX IF NOT EXISTS pages_waiting ON pages (host, fingerprint) WHERE state = 'placed';
CREATE INDEX IF NOT EXISTS pages_to_learn_from ON pages (template_key, sample_key, key)
    WHERE has_content;
{FINGERPRINTS_SCHEMA}
{ARTICLES_SCHEMA}
{THREADS_SCHEMA}
{STATE_SCHEMA}
"""

FORGET_PAGE = "DELETE FROM pages WHERE key = ? AND state = 'done'"
ADD_PAGE = """
INSERT OR IGNORE INTO pages (key, state, host, is_article, fingerprint, template_key, sample_key,
    has_content)
VALUES (:key, 'fetched', :host, :is_article, '', '', :sample_key, 1)
"""

ADD_CONTENT = """
INSERT OR REPLACE INTO contents
VALUES (:key, :url, :entry, :fetched_at, :meta, :status, :headers, :encoding, 0, :body)
"""

FINISH_PAGE = (
    """
INSERT INTO pages (key, state, host, is_article, fingerprint, template_key, sample_key,
    has_content, outcome, outcome_detail)
VALUES (:key, 'done', '', 1, '', '', '', 0, :kind, :detail)
ON CONFLICT (key) DO UPDATE SET state = 'done', outcome = :kind, outcome_detail = :detail,
    signals = NULL
""",
    "DELETE FROM thread_pages WHERE key = :key",
)

DELETE_CONTENT = (
    "DELETE FROM contents WHERE key = ?",
    "UPDATE pages SET has_content = 0 WHERE key = ?",
)

READ = "SELECT * FROM pages JOIN contents USING (key)"

#: The pages of a template that are done and are not among the first ``keep`` to learn from.
OUT_OF_SAMPLE = """
SELECT key FROM pages WHERE template_key = ?1 AND has_content AND state = 'done'
    AND (sample_key, key) >= (
        SELECT sample_key, key FROM pages WHERE template_key = ?1 AND has_content
        ORDER BY sample_key, key LIMIT 1 OFFSET ?2
    )
"""

#: Deletes the body of a page that is made ready without a template: it must not be parsed.
EMPTY_BODY = "UPDATE contents SET body = x'', is_compressed = 0 WHERE key = ? AND ? = ''"

#: Give a page that waits for its template, and has no feed entry, one.
DESCRIBE_CONTENT = """
UPDATE contents SET entry = :entry WHERE key = :key AND entry IS NULL
    AND key IN (SELECT key FROM pages WHERE key = :key AND state IN ('fetched', 'placed'))
"""
DESCRIBE_PAGE = """
UPDATE pages SET is_article = 1 WHERE key = :key AND state IN ('fetched', 'placed')
"""
