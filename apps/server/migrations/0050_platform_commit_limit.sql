-- A request that was told that it took too long must not commit afterwards: its caller tries again. What asks for the
-- commit may lie on a frozen line for long, so the database itself has to refuse it.
--
-- The transaction of a request sets the limit as it begins, and a deferred trigger compares it when it commits. A module
-- attaches it to every table whose rows a caller may not find written after it was told otherwise:
--
--   create constraint trigger commit_limit after insert or update or delete on memory.memories
--     deferrable initially deferred for each row
--     when (platform.has_commit_limit()) execute function platform.check_commit_limit();
--
-- All other rows of the transaction (audit, events, jobs, stored responses) go with them.

-- `latest` is a time by the clock of the server process, `within_ms` the same as a span from now on: the earlier one
-- counts. A statement that was held up finds the time over, and a clock of the database that is behind gives no more
-- time than the span. The limit is kept by platform.clock_now(), which tests move: what is left is not moved by them.
create function platform.limit_commit(latest timestamptz, within_ms int) returns void
  language sql volatile
  return (select null::void from (select set_config('app.commit_by',
    (platform.clock_now() + least(latest - clock_timestamp(), make_interval(secs => within_ms / 1000.0)))::text,
    true)) as limited);

-- Jobs have no limit. Their many rows are not even queued for the check.
create function platform.has_commit_limit() returns boolean
  language sql stable
  return coalesce(current_setting('app.commit_by', true), '') <> '';

create function platform.check_commit_limit() returns trigger
  language plpgsql as $$
begin
  if platform.has_commit_limit() and platform.clock_now() > current_setting('app.commit_by')::timestamptz then
    raise exception 'the caller has been told that the request took too long' using errcode = 'CH504';
  end if;
  return null;
end $$;
