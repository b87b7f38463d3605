create schema hires;

-- The catalog of the installation: nothing in it belongs to a workspace.
create table hires.employees (
  profile_id uuid        not null,
  key        text        collate "C" not null,
  status     text        not null default 'draft',
  -- What workspaces see, or saw before it was withdrawn.
  version    int,
  -- A release replaces what it brought until an operator has changed it.
  managed_by text        not null,
  revision   int         not null default 1,
  created_at timestamptz not null default platform.now(),
  updated_at timestamptz not null default platform.now(),
  constraint employees_pkey primary key (profile_id),
  constraint employees_key_unique unique (key),
  constraint employees_status_known check (status in ('draft', 'published', 'withdrawn')),
  constraint employees_version_of_status check ((status = 'draft') = (version is null)),
  constraint employees_managed_by_known check (managed_by in ('release', 'operator'))
);
create index employees_by_status on hires.employees (status, key);
create index employees_by_version on hires.employees (profile_id, version);

-- A version is a draft until it is published, and does not change afterwards: hires refer to it.
create table hires.employee_versions (
  profile_id   uuid        not null,
  version      int         not null,
  name         text        not null,
  title        text        not null,
  summary      text        not null,
  description  text        not null,
  good_at      text[]      not null,
  is_builder   boolean     not null,
  -- Null: it cannot be hired.
  template     jsonb,
  published_at timestamptz,
  constraint employee_versions_pkey primary key (profile_id, version),
  constraint employee_versions_employee_fkey foreign key (profile_id) references hires.employees (profile_id),
  constraint employee_versions_version_positive check (version > 0)
);
create unique index employee_versions_one_draft on hires.employee_versions (profile_id) where published_at is null;

alter table hires.employees add constraint employees_version_fkey
  foreign key (profile_id, version) references hires.employee_versions (profile_id, version);
