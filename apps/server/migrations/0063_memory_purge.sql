alter table memory.history drop constraint history_action_known;
alter table memory.history add constraint history_action_known
  check (action in ('created', 'updated', 'verified', 'deleted', 'restored', 'merged', 'unmerged', 'purged'));

-- A response that is stored for an Idempotency-Key may hold what was purged since. It goes, and no request has the digest
-- that stays, so whoever repeats the request is refused and does not create again what was purged.
create function platform.withdraw_answers(brand int, word text) returns void
  language sql as $$
  update platform.idempotency_keys set request = '', body = null where brand_id = brand and position(word in body) > 0
$$;
