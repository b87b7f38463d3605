-- Runs that index a project. All that is known of one lies here, so every process can tell how far it is.
create table code_index.runs (
  brand_id            int         not null,
  id                  uuid        not null,
  project_id          uuid        not null,
  trigger             text        not null,
  state               text        not null default 'waiting',
  stage               text,
  -- Asked for again while it runs: another one follows.
  is_wanted_again     boolean     not null default false,
  -- Raised by each claim; a worker with an older one can write nothing.
  epoch               int         not null default 0,
  lease_until         timestamptz,
  files_done          int         not null default 0,
  files_total         int         not null default 0,
  -- The first of them with reasons.
  skipped             jsonb       not null default '[]',
  skipped_total       int         not null default 0,
  references_total    int         not null default 0,
  references_resolved int         not null default 0,
  commit_id           text,
  fault               text,
  requested_at        timestamptz not null default platform.now(),
  started_at          timestamptz,
  ended_at            timestamptz,
  constraint runs_pkey primary key (brand_id, id),
  constraint runs_project_fkey foreign key (brand_id, project_id) references code_index.projects (brand_id, id),
  constraint runs_trigger_known check (trigger in ('request', 'attached', 'pushed', 'check')),
  constraint runs_state_known check (state in ('waiting', 'running', 'done', 'failed')),
  constraint runs_stage_known check (stage in ('fetch', 'list', 'extract', 'resolve', 'compare', 'publish')),
  constraint runs_lease_fits check ((lease_until is null) = (state <> 'running')),
  constraint runs_ended_fits check ((ended_at is null) = (state in ('waiting', 'running'))),
  constraint runs_fault_fits check ((fault is null) = (state <> 'failed'))
);
-- Ids are of version 7: the last run of a project is the one with the largest.
create index runs_of_project on code_index.runs (brand_id, project_id, id);
-- At most one that has not ended.
create unique index runs_open on code_index.runs (brand_id, project_id) where state in ('waiting', 'running');
create index runs_ended on code_index.runs (ended_at) where ended_at is not null;

alter table code_index.runs enable row level security;
alter table code_index.runs force row level security;
create policy tenant on code_index.runs using (brand_id = (select platform.current_brand()))
  with check (brand_id = (select platform.current_brand()));
create policy system on code_index.runs using ((select platform.is_system()))
  with check ((select platform.is_system()));
