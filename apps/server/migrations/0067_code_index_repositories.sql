-- How many repositories a project has had. A number names a copy on a disk, so it is never given twice.
alter table code_index.projects add column last_generation int not null default 0;

-- At most one for each project.
create table code_index.repositories (
  brand_id        int         not null,
  project_id      uuid        not null,
  url             text        not null,
  -- Null for the default branch of the remote.
  branch          text,
  credential_kind text        not null default 'none',
  -- Sealed.
  credential      bytea,
  host_keys       text[]      not null default '{}',
  generation      int         not null,
  -- When the remote is asked next whether there is something new.
  next_check_at   timestamptz not null default platform.now(),
  attached_at     timestamptz not null default platform.now(),
  updated_at      timestamptz not null default platform.now(),
  constraint repositories_pkey primary key (brand_id, project_id),
  constraint repositories_project_fkey foreign key (brand_id, project_id)
    references code_index.projects (brand_id, id),
  constraint repositories_url_length check (char_length(url) between 1 and 2000),
  constraint repositories_branch_length check (char_length(branch) between 1 and 200),
  constraint repositories_credential_known check (credential_kind in ('none', 'password', 'ssh_key')),
  constraint repositories_credential_fits check ((credential is null) = (credential_kind = 'none'))
);
create index repositories_to_check on code_index.repositories (next_check_at);

alter table code_index.repositories enable row level security;
alter table code_index.repositories force row level security;
create policy tenant on code_index.repositories using (brand_id = (select platform.current_brand()))
  with check (brand_id = (select platform.current_brand()));
create policy system on code_index.repositories using ((select platform.is_system()))
  with check ((select platform.is_system()));
