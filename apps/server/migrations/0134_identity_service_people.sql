-- The person that an agent of a workspace works as, so that its credential depends on no member. Such a membership is
-- neither active nor removed: everything that asks for members asks for active ones, and finds none of these.
alter table identity.memberships
  add column agent_id text,
  drop constraint memberships_status_known,
  add constraint memberships_status_known check (status in ('active', 'removed', 'service')),
  add constraint memberships_agent_fits check (case status
    when 'active' then agent_id is null when 'service' then agent_id is not null and role = 'member' else true end),
  add constraint memberships_agent_key unique (brand_id, agent_id),
  add constraint memberships_agent_fkey foreign key (brand_id, agent_id)
    references identity.agents (brand_id, agent_id);

alter table identity.people
  add constraint people_service_plain check (kind = 'person' or not (is_staff or email_verified));

-- As before, and a service is of its agent alone, as nobody else is of one.
create or replace function identity.lock_person() returns trigger
  language plpgsql as $$
begin
  perform 1 from identity.people p where p.id = new.person_id and p.erased_at is null
    and (p.kind = 'service') = (new.agent_id is not null) for no key update;
  if not found or exists (
      select from identity.brands b where b.id = new.brand_id and b.erased_at is not null) then
    return null;
  end if;
  return new;
end $$;
drop trigger lock_person_returning on identity.memberships;
create trigger lock_person_returning before update of status on identity.memberships
  for each row when (old.status = 'removed' and new.status <> 'removed') execute function identity.lock_person();

-- Whatever asks for one, by whichever statement.
create function identity.refuse_service() returns trigger
  language plpgsql as $$
begin
  if exists (select from identity.people p where p.id = new.person_id and p.kind = 'service') then
    raise exception 'a service has no password and no session' using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger refuse_service before insert or update of person_id on identity.passwords
  for each row execute function identity.refuse_service();
create trigger refuse_service before insert or update of person_id on identity.sessions
  for each row execute function identity.refuse_service();
