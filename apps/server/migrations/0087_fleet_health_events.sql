-- What the last noted check has found, so that the same is not noted again, and when the state last changed.
alter table fleet.desks
  add column miss_cause text,
  add column turned_at timestamptz,
  -- Since then the state has been changing so often that changes are not announced.
  add column flapping_at timestamptz,
  add constraint desks_miss_cause_length check (char_length(miss_cause) <= 30);

-- What health checks have found, where it was something new. Of each desk the last 200.
create table fleet.health_events (
  brand_id   int         not null,
  desk_id    uuid        not null,
  seq        bigint      not null,
  created_at timestamptz not null default platform.now(),
  from_state text        not null,
  state      text        not null,
  cause      text,
  misses     int         not null,
  latency_ms int,
  constraint health_events_pkey primary key (brand_id, desk_id, seq),
  constraint health_events_desk_fkey foreign key (brand_id, desk_id) references fleet.desks (brand_id, id)
    on delete cascade,
  constraint health_events_states_known check (
    from_state in ('provisioning', 'ready', 'unreachable', 'suspended')
    and state in ('provisioning', 'ready', 'unreachable', 'suspended')),
  constraint health_events_cause_length check (char_length(cause) <= 30),
  constraint health_events_counts_positive check (seq > 0 and misses >= 0 and latency_ms >= 0)
);

alter table fleet.health_events enable row level security;
alter table fleet.health_events force row level security;
create policy tenant on fleet.health_events using (brand_id = (select platform.current_brand()))
  with check (brand_id = (select platform.current_brand()));
create policy system on fleet.health_events using ((select platform.is_system()))
  with check ((select platform.is_system()));
