create schema webhooks;

-- Where events of a workspace are sent. Secrets are sealed with a key that is not in the database.
create table webhooks.endpoints (
  brand_id         int         not null,
  id               uuid        not null,
  url              text        not null,
  description      text        not null default '',
  events           text[]      not null,
  board_ids        uuid[],
  is_enabled       boolean     not null default true,
  disabled_reason  text,
  secret           bytea       not null,
  old_secret       bytea,
  old_secret_until timestamptz,
  -- Attempts in a row that found nobody there, since when, and until when nothing is sent because of them.
  failures         int         not null default 0,
  failing_since    timestamptz,
  resting_until    timestamptz,
  -- The worker that is sending, until when it has to be done. One at a time keeps the order.
  sender           uuid,
  sending_until    timestamptz,
  created_at       timestamptz not null default platform.now(),
  updated_at       timestamptz not null default platform.now(),
  constraint endpoints_pkey primary key (brand_id, id),
  constraint endpoints_brand_fkey foreign key (brand_id) references identity.brands (id),
  constraint endpoints_disabled_reason_known check (disabled_reason in ('gone')),
  constraint endpoints_enabled_without_reason check (not is_enabled or disabled_reason is null),
  constraint endpoints_old_secret_has_end check ((old_secret is null) = (old_secret_until is null)),
  constraint endpoints_failures_not_negative check (failures >= 0)
);

-- The outbox and, for 30 days, the log. No key to the endpoint: ending one must not wait for a month of rows.
create table webhooks.deliveries (
  brand_id        int         not null,
  id              uuid        not null default gen_random_uuid(),
  -- Under the lock of a board the numbers rise in the order of commits.
  seq             bigint      generated always as identity,
  webhook_id      uuid        not null,
  event           text        not null,
  board_id        uuid,
  payload         text        not null,
  status          text        not null default 'pending',
  attempts        int         not null default 0,
  -- Failed attempts since it was queued; the place on the ladder of waits.
  rung            int         not null default 0,
  queued_at       timestamptz not null default platform.now(),
  next_attempt_at timestamptz default platform.now(),
  last_attempt_at timestamptz,
  last_status     int,
  last_error      text,
  created_at      timestamptz not null default platform.now(),
  delivered_at    timestamptz,
  constraint deliveries_pkey primary key (brand_id, id),
  constraint deliveries_brand_fkey foreign key (brand_id) references identity.brands (id),
  constraint deliveries_status_known check (status in ('pending', 'delivered', 'failed')),
  constraint deliveries_pending_has_time check ((status = 'pending') = (next_attempt_at is not null)),
  constraint deliveries_payload_small check (octet_length(payload) <= 20480)
);
create index deliveries_newest on webhooks.deliveries (brand_id, webhook_id, seq);
create index deliveries_by_status on webhooks.deliveries (brand_id, webhook_id, status, seq);
create index deliveries_due on webhooks.deliveries (brand_id, webhook_id, next_attempt_at) where status = 'pending';
-- For the sweeps, which look over all workspaces.
create index deliveries_waiting on webhooks.deliveries (queued_at) where status = 'pending';
create index deliveries_age on webhooks.deliveries (created_at);

alter table webhooks.endpoints enable row level security;
alter table webhooks.endpoints force row level security;
create policy tenant on webhooks.endpoints
  using (brand_id = (select platform.current_brand())) with check (brand_id = (select platform.current_brand()));
create policy system on webhooks.endpoints
  using ((select platform.is_system())) with check ((select platform.is_system()));

alter table webhooks.deliveries enable row level security;
alter table webhooks.deliveries force row level security;
create policy tenant on webhooks.deliveries
  using (brand_id = (select platform.current_brand())) with check (brand_id = (select platform.current_brand()));
create policy system on webhooks.deliveries
  using ((select platform.is_system())) with check ((select platform.is_system()));
