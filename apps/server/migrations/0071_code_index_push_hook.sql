-- Sealed. The host of a repository signs with it what it tells of pushes.
alter table code_index.repositories
  add column push_secret        bytea,
  add column push_secret_set_at timestamptz,
  add constraint repositories_push_secret_fits check ((push_secret is null) = (push_secret_set_at is null));
-- Such a sender names a project and no workspace.
create index repositories_with_hook on code_index.repositories (project_id) where push_secret is not null;
