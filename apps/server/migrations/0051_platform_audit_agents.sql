-- Which agent of the workspace acted, beside its name on that day.
alter table platform.audit_entries add column actor_agent_id text;

-- As before. Ids of agents are words that the workspace has chosen, so they go with it.
create or replace function platform.redact_audit_of_brand(brand int, after_at timestamptz, after_id bigint, bite int)
    returns table (created_at timestamptz, id bigint)
  language sql security definer set search_path = pg_catalog, pg_temp as $$
  with bitten as materialized (
    select a.created_at, a.id from platform.audit_entries a
    where a.brand_id = brand and (a.created_at, a.id) > (after_at, after_id)
      and exists (select from identity.brands w where w.id = brand and w.erased_at is not null)
    order by a.created_at, a.id limit bite),
  redacted as (
    update platform.audit_entries a set actor_name = null, actor_agent = null, actor_agent_id = null,
      target = case when a.target like 'agent:%' then 'agent' else a.target end, old_value = null, new_value = null
    from bitten b where a.brand_id = brand and a.created_at = b.created_at and a.id = b.id)
  select b.created_at, b.id from bitten b order by b.created_at desc, b.id desc limit 1
$$;
