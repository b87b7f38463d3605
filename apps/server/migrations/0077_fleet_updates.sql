-- Whether a desk of another workspace runs on the same machine. Such a machine is updated by the operator.
alter table fleet.desks add column shares_machine boolean not null default false;

-- What was asked of a machine. Of those that wait or run, a machine has one at most.
create table fleet.machine_updates (
  brand_id     int         not null,
  id           uuid        not null,
  desk_id      uuid        not null,
  state        text        not null default 'queued',
  error        text,
  requested_by int         not null,
  requested_at timestamptz not null default platform.now(),
  started_at   timestamptz,
  ended_at     timestamptz,
  from_version text,
  to_version   text,
  constraint machine_updates_pkey primary key (brand_id, id),
  constraint machine_updates_desk_fkey foreign key (brand_id, desk_id) references fleet.desks (brand_id, id)
    on delete cascade,
  constraint machine_updates_state_known check (state in ('queued', 'running', 'done', 'failed')),
  constraint machine_updates_error_fits check ((state = 'failed') = (error is not null)),
  constraint machine_updates_error_length check (char_length(error) between 1 and 300),
  constraint machine_updates_ended_fits check ((state in ('done', 'failed')) = (ended_at is not null)),
  constraint machine_updates_versions_length check (char_length(from_version) <= 100 and char_length(to_version) <= 100)
);
create unique index machine_updates_open on fleet.machine_updates (brand_id, desk_id)
  where state in ('queued', 'running');
create index machine_updates_of_desk on fleet.machine_updates (brand_id, desk_id, id desc);

alter table fleet.machine_updates enable row level security;
alter table fleet.machine_updates force row level security;
create policy tenant on fleet.machine_updates using (brand_id = (select platform.current_brand()))
  with check (brand_id = (select platform.current_brand()));
create policy system on fleet.machine_updates using ((select platform.is_system()))
  with check ((select platform.is_system()));
