import type pg from 'pg'

/** Lets all hires of an employee work, as their builds would: each with an agent of its own and the service of that. */
export async function letHiresWork(admin: pg.Client, key: string): Promise<void> {
  await admin.query(
    `insert into identity.agents (brand_id, agent_id, name)
     select h.brand_id, 'hired-' || h.id, 'Hired' from hires.hires h join hires.employees e using (profile_id)
     where e.key = $1 and h.agent_id is null`,
    [key],
  )
  await admin.query(
    `with hired as (
       select h.brand_id, 'hired-' || h.id as agent_id from hires.hires h join hires.employees e using (profile_id)
       where e.key = $1 and h.agent_id is null),
     people as (
       insert into identity.people (email, full_name, kind)
       select agent_id || '@service.invalid', 'Hired', 'service' from hired returning id, email)
     insert into identity.memberships (brand_id, person_id, role, status, agent_id)
     select brand_id, people.id, 'member', 'service', agent_id
     from hired join people on people.email = agent_id || '@service.invalid'`,
    [key],
  )
  await admin.query(
    `update hires.hires h set agent_id = 'hired-' || h.id, status = 'active', activated_at = now(), failures = 0,
       reason = null, next_try_at = null
     from hires.employees e where e.profile_id = h.profile_id and e.key = $1 and h.agent_id is null`,
    [key],
  )
}
