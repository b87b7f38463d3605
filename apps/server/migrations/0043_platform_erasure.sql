-- A value without what tells who a person is, wherever in it that stands: beside their number, or as a text that is one
-- of `words`, in lower case. The product has the same for texts that must keep their form (`without-person.ts`).
create function platform.without_person(value jsonb, person int, words text[]) returns jsonb
  language plpgsql immutable parallel safe as $$
declare
  is_theirs boolean;
begin
  case jsonb_typeof(value)
  when 'array' then
    return (select coalesce(jsonb_agg(platform.without_person(e, person, words) order by at), '[]')
            from jsonb_array_elements(value) with ordinality as each (e, at));
  when 'object' then
    is_theirs := coalesce(
      (value -> 'id' = to_jsonb(person::text) and coalesce(value ->> 'kind', 'member') in ('member', 'guest'))
      or (value -> 'id' = to_jsonb(person) and (value ? 'full_name' or value ? 'email'))
      or value -> 'user_id' = to_jsonb(person) or value -> 'person_id' = to_jsonb(person), false);
    return (select coalesce(jsonb_object_agg(key, case
              when is_theirs and key in ('name', 'full_name') and jsonb_typeof(e) = 'string' then '"Former member"'
              when is_theirs and key in ('email', 'position', 'agent', 'image', 'photo') then 'null'
              else platform.without_person(e, person, words) end), '{}')
            from jsonb_each(value) as each (key, e));
  when 'string' then
    return case when lower(value #>> '{}') = any(words) then '"Former member"' else value end;
  else
    return value;
  end case;
end $$;

-- The audit can be added to and read, and nothing else. This is all that may be taken out of it before its time: who
-- somebody was who is erased, a bounded number of entries after the given one, behind the walls of its caller. Answers
-- the last of them.
create function platform.redact_audit_of_person(person int, words text[], after_brand int, after_at timestamptz,
    after_id bigint, bite int) returns table (brand_id int, created_at timestamptz, id bigint)
  language sql security definer set search_path = pg_catalog, pg_temp as $$
  with bitten as materialized (
    select a.brand_id, a.created_at, a.id,
      a.target = 'member:' || person
        and a.action in ('member.position_changed', 'member.photo_changed', 'member.photo_removed') as is_private
    from platform.audit_entries a
    where (a.brand_id, a.created_at, a.id) > (after_brand, after_at, after_id)
      and exists (select from identity.people p where p.id = person and p.erased_at is not null)
    order by a.brand_id, a.created_at, a.id limit bite),
  redacted as (
    update platform.audit_entries a set
      actor_name = case when a.actor_person_id = person then null else a.actor_name end,
      old_value = case when b.is_private then null else platform.without_person(a.old_value, person, words) end,
      new_value = case when b.is_private then null else platform.without_person(a.new_value, person, words) end
    from bitten b
    where a.brand_id = b.brand_id and a.created_at = b.created_at and a.id = b.id
      and (a.actor_person_id = person or b.is_private
        or platform.without_person(a.old_value, person, words) is distinct from a.old_value
        or platform.without_person(a.new_value, person, words) is distinct from a.new_value))
  select b.brand_id, b.created_at, b.id from bitten b
  order by b.brand_id desc, b.created_at desc, b.id desc limit 1
$$;
revoke execute on function platform.redact_audit_of_person(int, text[], int, timestamptz, bigint, int) from public;

-- The same for a workspace that is erased: what was done when, by which number to which number, and no more.
create function platform.redact_audit_of_brand(brand int, after_at timestamptz, after_id bigint, bite int)
    returns table (created_at timestamptz, id bigint)
  language sql security definer set search_path = pg_catalog, pg_temp as $$
  with bitten as materialized (
    select a.created_at, a.id from platform.audit_entries a
    where a.brand_id = brand and (a.created_at, a.id) > (after_at, after_id)
      and exists (select from identity.brands w where w.id = brand and w.erased_at is not null)
    order by a.created_at, a.id limit bite),
  redacted as (
    update platform.audit_entries a set actor_name = null, actor_agent = null, old_value = null, new_value = null
    from bitten b where a.brand_id = brand and a.created_at = b.created_at and a.id = b.id)
  select b.created_at, b.id from bitten b order by b.created_at desc, b.id desc limit 1
$$;
revoke execute on function platform.redact_audit_of_brand(int, timestamptz, bigint, int) from public;
