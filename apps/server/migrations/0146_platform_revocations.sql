-- What no longer lets anybody in, until it is in the journal outside of the database. A restore to a moment before it ends it
-- once more from there. Ids and times; whatever statement ends a credential, it is noted with it or not at all.
create table platform.revocations (
  id         bigint      generated always as identity,
  kind       text        not null,
  subject    text        not null,
  revoked_at timestamptz not null,
  constraint revocations_pkey primary key (id),
  constraint revocations_kind_known check (kind in ('session', 'token', 'connection', 'desk')),
  constraint revocations_subject_length check (char_length(subject) <= 60)
);
create index revocations_by_time on platform.revocations (revoked_at);

-- As the owner: processes of the last version end sessions before the rights to this table are granted.
create function platform.note_revocation() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  insert into platform.revocations (kind, subject, revoked_at)
    values (tg_argv[0], to_jsonb(old) ->> tg_argv[1], platform.clock_now());
  return null;
end $$;

-- What has expired stays so after a restore.
create trigger note_end after delete on identity.sessions
  for each row when (old.expires_at > platform.now()) execute function platform.note_revocation('session', 'id');
create trigger note_replacement after update of token_hash on identity.sessions
  for each row when (old.token_hash <> new.token_hash) execute function platform.note_revocation('session', 'id');
create trigger note_end after delete on identity.tokens
  for each row when (old.revoked_at is null and old.expires_at > platform.now())
  execute function platform.note_revocation('token', 'id');
create trigger note_replacement after update of token_hash, revoked_at on identity.tokens
  for each row when (old.revoked_at is null and (new.revoked_at is not null or old.token_hash <> new.token_hash))
  execute function platform.note_revocation('token', 'id');
-- A refresh token that was used has been replaced, and its program holds one that a restored database does not know.
create trigger note_use after update of used_at on identity.oauth_secrets
  for each row when (old.used_at is null and new.used_at is not null)
  execute function platform.note_revocation('connection', 'token_id');
create trigger note_end after delete on fleet.desk_keys
  for each row when (old.released_at is null) execute function platform.note_revocation('desk', 'desk_id');
create trigger note_replacement after update of released_at, quarantined_at, public_key on fleet.desk_keys
  for each row when (old.released_at is null and (new.released_at is not null
    or (old.quarantined_at is null and new.quarantined_at is not null) or old.public_key <> new.public_key))
  execute function platform.note_revocation('desk', 'desk_id');
