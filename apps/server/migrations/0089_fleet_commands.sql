-- What a desk is told to do with its next beats. It may begin until `expires_at`; each row is sent until the desk has
-- accepted it or said what became of it. Of one kind a desk has at most one that is open.
create table fleet.desk_commands (
  brand_id    int         not null,
  id          uuid        not null,
  desk_id     uuid        not null,
  kind        text        not null,
  -- What the kind needs besides; of an update the bundle.
  facts       jsonb       not null default '{}',
  issued_at   timestamptz not null default platform.now(),
  expires_at  timestamptz not null,
  accepted_at timestamptz,
  ended_at    timestamptz,
  outcome     text,
  error       text,
  constraint desk_commands_pkey primary key (brand_id, id),
  constraint desk_commands_desk_fkey foreign key (brand_id, desk_id) references fleet.desks (brand_id, id)
    on delete cascade,
  constraint desk_commands_kind_known check (kind in ('update', 'rotate_key', 'collect_logs', 'drain')),
  constraint desk_commands_facts_length check (pg_column_size(facts) <= 4000),
  constraint desk_commands_outcome_known check (outcome in ('done', 'failed', 'refused', 'expired', 'lost')),
  constraint desk_commands_ended_fits check ((outcome is null) = (ended_at is null)),
  constraint desk_commands_error_length check (char_length(error) <= 500),
  constraint desk_commands_expires_later check (expires_at > issued_at)
);
create unique index desk_commands_open on fleet.desk_commands (brand_id, desk_id, kind) where ended_at is null;
create index desk_commands_of_desk on fleet.desk_commands (brand_id, desk_id);
-- For the sweep, over all workspaces.
create index desk_commands_by_acceptance on fleet.desk_commands (accepted_at)
  where ended_at is null and accepted_at is not null;
create index desk_commands_by_end on fleet.desk_commands (ended_at) where ended_at is not null;

alter table fleet.desk_commands enable row level security;
alter table fleet.desk_commands force row level security;
create policy tenant on fleet.desk_commands using (brand_id = (select platform.current_brand()))
  with check (brand_id = (select platform.current_brand()));
create policy system on fleet.desk_commands using ((select platform.is_system()))
  with check ((select platform.is_system()));

-- Updates that were requested together take turns. `command_id` is the last command that was made for an update; null while
-- it waits for its turn.
alter table fleet.machine_updates add column rollout_id uuid;
alter table fleet.machine_updates add column command_id uuid;
create index machine_updates_of_rollout on fleet.machine_updates (brand_id, rollout_id) where rollout_id is not null;
