-- Months are counted from the first day, so that a hire of January 31 ends on February 28 and then on March 31. In UTC,
-- whatever the session is set to.
create function hires.period_end(created_at timestamptz, periods int) returns timestamptz
  language sql immutable as $$
  select ((created_at at time zone 'UTC') + make_interval(months => periods)) at time zone 'UTC'
$$;

-- Employees that a workspace has taken on. Rows stay: what was canceled is read, and counted, later.
create table hires.hires (
  brand_id             int         not null,
  id                   uuid        not null,
  profile_id           uuid        not null,
  -- What it was built from.
  version              int         not null,
  status               text        not null default 'provisioning',
  -- Given by the build. A later hire of the same employee gets the same agent.
  agent_id             text,
  -- Of a builder. Without foreign keys: desks are released and projects archived while hires go on.
  desk_id              uuid,
  project_id           uuid,
  -- Given by the operator, who may have said why.
  is_grant             boolean     not null,
  comp_reason          text,
  -- A number without a foreign key: people leave, and hires stay.
  hired_by             int,
  -- The credential that was handed over last.
  token_id             uuid,

  -- The period that runs is the one with this number, and ends that many months after the hire.
  periods              int         not null default 1,
  current_period_end   timestamptz not null,
  created_at           timestamptz not null,
  activated_at         timestamptz,
  cancel_at_period_end boolean     not null default false,
  canceled_at          timestamptz,
  effective_at         timestamptz,
  -- When its packages were released.
  ended_at             timestamptz,
  installs_disabled    int,
  installs_retained    int,

  -- How the build goes. `next_try_at` is when a build that nobody works on is looked for.
  failures             int         not null default 0,
  reason               text,
  next_try_at          timestamptz,

  constraint hires_pkey primary key (brand_id, id),
  constraint hires_brand_fkey foreign key (brand_id) references identity.brands (id),
  constraint hires_version_fkey foreign key (profile_id, version)
    references hires.employee_versions (profile_id, version),
  constraint hires_agent_fkey foreign key (brand_id, agent_id) references identity.agents (brand_id, agent_id),
  constraint hires_status_known check (status in ('provisioning', 'active', 'canceled')),
  constraint hires_active_built check (status <> 'active' or (agent_id is not null and activated_at is not null)),
  constraint hires_canceled_fits check (
    (status = 'canceled') = (canceled_at is not null) and (status = 'canceled') = (effective_at is not null)),
  constraint hires_ended_fits check (ended_at is null or status = 'canceled'),
  constraint hires_reason_of_grant check (is_grant or comp_reason is null),
  constraint hires_periods_positive check (periods > 0),
  constraint hires_failures_not_negative check (failures >= 0)
);
-- HIRE-13: one at a time. One that was canceled and still runs does not count (HIRE-G1).
create unique index hires_held on hires.hires (brand_id, profile_id) where status in ('provisioning', 'active');
create index hires_by_version on hires.hires (profile_id, version);
create index hires_by_profile on hires.hires (brand_id, profile_id, id);
create index hires_by_agent on hires.hires (brand_id, agent_id) where agent_id is not null;
create index hires_by_desk on hires.hires (brand_id, desk_id) where desk_id is not null and ended_at is null;
create index hires_by_created on hires.hires (brand_id, created_at) where not is_grant;
-- Operators name a hire and no workspace.
create index hires_by_id on hires.hires (id);
create index hires_to_end on hires.hires (effective_at) where status = 'canceled' and ended_at is null;
create index hires_to_renew on hires.hires (current_period_end) where status = 'active';
create index hires_to_build on hires.hires (next_try_at) where status = 'provisioning';

-- What a build has done already: it goes on from here, whoever began it.
create table hires.build_steps (
  brand_id int         not null,
  hire_id  uuid        not null,
  step     text        not null,
  position int         not null,
  status   text        not null default 'pending',
  attempts int         not null default 0,
  reason   text,
  done_at  timestamptz,
  constraint build_steps_pkey primary key (brand_id, hire_id, step),
  constraint build_steps_hire_fkey foreign key (brand_id, hire_id) references hires.hires (brand_id, id),
  constraint build_steps_status_known check (status in ('pending', 'done', 'skipped', 'failed')),
  constraint build_steps_attempts_not_negative check (attempts >= 0)
);

-- The configuration of a hired agent: what was built for it, and where.
create table hires.management_records (
  brand_id      int         not null,
  hire_id       uuid        not null,
  agent_id      text        not null,
  coder_profile text        not null,
  scopes        text[]      not null,
  packages      text[]      not null,
  -- Below the root of conversations; null where there is none.
  directory     text,
  source_ids    uuid[]      not null default '{}',
  -- The card that it could begin with.
  first_card_id uuid,
  created_at    timestamptz not null default platform.now(),
  constraint management_records_pkey primary key (brand_id, hire_id),
  constraint management_records_hire_fkey foreign key (brand_id, hire_id) references hires.hires (brand_id, id)
);

-- Directories of ended hires that are still there.
create table hires.removals (
  brand_id    int         not null,
  hire_id     uuid        not null,
  directory   text        not null,
  tries       int         not null default 0,
  next_try_at timestamptz not null,
  constraint removals_pkey primary key (brand_id, hire_id),
  constraint removals_hire_fkey foreign key (brand_id, hire_id) references hires.hires (brand_id, id),
  constraint removals_tries_not_negative check (tries >= 0)
);
create index removals_due on hires.removals (next_try_at);

-- What an admin of the platform has granted within the last hour, over all workspaces, to limit it (HIRE-16).
create table hires.grants (
  -- `admin_key`, or the number of a person.
  admin      text        not null collate "C",
  created_at timestamptz not null,
  hire_id    uuid        not null,
  constraint grants_pkey primary key (admin, created_at, hire_id)
);

do $$
declare name text;
begin
  foreach name in array array['hires', 'build_steps', 'management_records', 'removals'] loop
    execute format('alter table hires.%I enable row level security', name);
    execute format('alter table hires.%I force row level security', name);
    execute format('create policy tenant on hires.%I using (brand_id = (select platform.current_brand()))
      with check (brand_id = (select platform.current_brand()))', name);
    execute format('create policy system on hires.%I using ((select platform.is_system()))
      with check ((select platform.is_system()))', name);
  end loop;
end $$;
