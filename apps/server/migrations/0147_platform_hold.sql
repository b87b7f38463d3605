-- A timeline that was begun by a restore holds what goes out, until the operator releases it: what was restored may have been
-- sent already, after the moment that was restored.
alter table platform.timelines add column released_at timestamptz;
update platform.timelines set released_at = began_at;
