-- Secrets of hooks that were replaced or removed: whoever had one of them could send deliveries again after a restore.
alter table platform.revocations drop constraint revocations_kind_known;
alter table platform.revocations add constraint revocations_kind_known
  check (kind in ('session', 'token', 'connection', 'desk', 'hook')) not valid;

create trigger note_end after delete on boards.hooks
  for each row execute function platform.note_revocation('hook', 'id');
-- Not where the same secret is only encrypted with another key: then the old one is nobody's.
create trigger note_replacement after update of secret on boards.hooks
  for each row when (old.secret <> new.secret and new.old_secret = old.secret)
  execute function platform.note_revocation('hook', 'id');
