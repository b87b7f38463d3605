-- Enters a brand for the rest of the transaction, as before. Each look is a statement of its own: Postgres locks every
-- table of a statement, also those that it turns out not to need, so a token would have waited for `sessions`.
create or replace function platform.enter_brand(
    brand int, epoch bigint, until timestamptz, session bigint, session_version int)
  returns void
  language plpgsql as $$
declare
  is_stale boolean;
begin
  perform set_config('app.brand_id', brand::text, true);
  if epoch is null then return; end if;
  is_stale := until <= platform.now()
    or not exists (select 1 from identity.brands b where b.id = brand and b.auth_epoch = epoch);
  if not is_stale and session is not null then
    is_stale := not exists (
      select 1 from identity.sessions s where s.id = session and s.version = session_version);
  end if;
  if is_stale then
    raise exception 'the caller has to be looked up anew' using errcode = 'CH401';
  end if;
end $$;
