-- The time of the statement, not of the transaction: a row written after waiting for a lock is newer than
-- the one that was waited for. Tests move it together with platform.now().
create function platform.clock_now() returns timestamptz
  language sql volatile parallel safe
  return clock_timestamp();

-- Who changed which setting of a workspace, from what to what. Written in the transaction of the change.
create table platform.audit_entries (
  brand_id        int         not null,
  id              bigint      generated always as identity,
  action          text        not null,
  target          text        not null,
  old_value       jsonb,
  new_value       jsonb,
  actor_kind      text        not null,
  actor_person_id int,
  actor_name      text,
  credential      text,
  credential_id   text,
  request_id      text,
  created_at      timestamptz not null default platform.clock_now(),
  constraint audit_entries_pkey primary key (brand_id, id),
  constraint audit_entries_brand_fkey foreign key (brand_id) references identity.brands (id),
  constraint audit_entries_actor_known check (actor_kind in ('person', 'admin_key', 'system', 'nobody')),
  constraint audit_entries_credential_known check (credential in ('token', 'session', 'admin_key'))
);
create index audit_entries_action on platform.audit_entries (brand_id, action, id);
create index audit_entries_actor on platform.audit_entries (brand_id, actor_person_id, id);

alter table platform.audit_entries enable row level security;
alter table platform.audit_entries force row level security;
create policy tenant on platform.audit_entries
  using (brand_id = (select platform.current_brand())) with check (brand_id = (select platform.current_brand()));
create policy system on platform.audit_entries
  using ((select platform.is_system())) with check ((select platform.is_system()));
