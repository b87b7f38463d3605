-- When an endpoint has to be looked at again: something is due then, or its sender has to be done by then.
alter table webhooks.endpoints add column wake_at timestamptz;
-- How long its receiver takes to answer, of late, and whether that makes it wait with others like it.
alter table webhooks.endpoints add column latency_ms int not null default 0;
alter table webhooks.endpoints add column is_slow boolean not null default false;
create index endpoints_awake on webhooks.endpoints (is_slow, wake_at) where is_enabled and wake_at is not null;

-- What was looked after by a job until now is looked after at once.
select set_config('app.system', 'on', true);
update webhooks.endpoints e set wake_at = platform.now()
where exists (
  select from webhooks.deliveries d where d.brand_id = e.brand_id and d.webhook_id = e.id and d.status = 'pending');
select set_config('app.system', '', true);

-- One for every new delivery, and gone within a second or so: it tells which endpoints to wake. Those who write it
-- wait for nobody, which they would if they wrote to the endpoint itself.
create table webhooks.arrivals (
  brand_id   int    not null,
  seq        bigint generated always as identity,
  webhook_id uuid   not null,
  constraint arrivals_pkey primary key (brand_id, seq),
  constraint arrivals_brand_fkey foreign key (brand_id) references identity.brands (id)
);
create index arrivals_order on webhooks.arrivals (seq);

alter table webhooks.arrivals enable row level security;
alter table webhooks.arrivals force row level security;
create policy tenant on webhooks.arrivals
  using (brand_id = (select platform.current_brand())) with check (brand_id = (select platform.current_brand()));
create policy system on webhooks.arrivals
  using ((select platform.is_system())) with check ((select platform.is_system()));
