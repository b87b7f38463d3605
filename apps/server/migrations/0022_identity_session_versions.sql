-- A session is checked by its own version. The epoch of a workspace is for rights: whoever signs out must not make
-- every caller of the workspace be looked up anew.
alter table identity.sessions add column version int not null default 1;

create function identity.raise_session_version() returns trigger
  language plpgsql as $$
begin
  new.version := old.version + 1;
  return new;
end $$;
create trigger raise_session_version before update of brand_id, expires_at, token_hash on identity.sessions
  for each row execute function identity.raise_session_version();
drop trigger raise_epoch on identity.sessions;

-- Enters a brand for the rest of the transaction. A caller that was remembered from an earlier request brings the
-- epoch it was read at, the end of its credential and, with a session, the version of that; when one of them has
-- passed, the whole transaction fails, and the caller is looked up anew.
create function platform.enter_brand(brand int, epoch bigint, until timestamptz, session bigint, session_version int)
  returns void
  language plpgsql as $$
begin
  perform set_config('app.brand_id', brand::text, true);
  if epoch is not null and (until <= platform.now()
      or not exists (select 1 from identity.brands b where b.id = brand and b.auth_epoch = epoch)
      or (session is not null and not exists (
        select 1 from identity.sessions s where s.id = session and s.version = session_version))) then
    raise exception 'the caller has to be looked up anew' using errcode = 'CH401';
  end if;
end $$;

-- For processes of the version before, which bring no session: they look every remembered caller up anew.
create or replace function platform.enter_brand(brand int, epoch bigint, until timestamptz) returns void
  language plpgsql as $$
begin
  perform set_config('app.brand_id', brand::text, true);
  if epoch is not null then
    raise exception 'the caller has to be looked up anew' using errcode = 'CH401';
  end if;
end $$;
