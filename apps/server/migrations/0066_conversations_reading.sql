-- A source that is read is a claim as a conversation is: it belongs to one worker until its lease ends, and each claim
-- raises the epoch, so that a worker that wakes up late can write nothing. While it is read, `next_read_at` is the end of
-- the lease.
alter table conversations.sources
  add column epoch         int         not null default 0,
  add column lease_until   timestamptz,
  -- Turns in a row that ended with their worker, and those that failed.
  add column losses        int         not null default 0,
  add column read_failures int         not null default 0,
  add column read_reason   text,
  add column last_read_at  timestamptz,
  -- What the last pass has left out, by reason.
  add column skipped       jsonb       not null default '{}',
  add constraint sources_read_reason_length check (char_length(read_reason) <= 100),
  add constraint sources_lease_fits check (lease_until is null or reader is not null);

-- How far the reader of the source has read what this conversation is made from, in its own words.
alter table conversations.conversations
  add column mark text,
  add constraint conversations_mark_length check (char_length(mark) <= 1000);
