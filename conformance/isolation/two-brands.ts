import type { TestDatabase } from '@crewhall/testkit/databases.ts'
import { openClient } from '@crewhall/testkit/matrix-server.ts'

/** Rows of two brands in every tenant table, past the walls. */
export async function fillTwoBrands(database: TestDatabase): Promise<{ one: number; other: number }> {
  const admin = await openClient(database, 'superuser')
  try {
    const { rows } = await admin.query<{ brand_id: number }>(`
      with person as (
        insert into identity.people (email, full_name) values ('a@example.test', 'A'), ('b@example.test', 'B') returning id),
      brand as (
        insert into identity.brands (name, plan_key, scope_ceiling) values ('A', 'free', '{}'), ('B', 'free', '{}') returning id)
      insert into identity.memberships (brand_id, person_id, role)
      select brand.id, person.id, 'admin' from brand, person returning brand_id`)
    await admin.query(`
      insert into identity.tokens (brand_id, id, person_id, name, last_four, token_hash, scopes, expires_at)
      select brand_id, gen_random_uuid(), person_id, 'T', 'abcd', uuid_send(gen_random_uuid()), '{}', now() + interval '1 day'
      from identity.memberships`)
    await admin.query(`
      insert into platform.audit_entries (brand_id, action, target, actor_kind)
      select id, 'thing.changed', 'thing:1', 'system' from identity.brands`)
    await admin.query(`
      insert into profiles.overrides (brand_id, profile_key, effort) select id, 'claude.hard', 'low' from identity.brands;
      insert into profiles.closed_coders (brand_id, coder) select id, 'pi' from identity.brands;
      insert into profiles.changes (brand_id, profile_key, field, new_value, actor_user_id, actor_role)
      select id, 'claude.hard', 'effort', 'low', 1, 'brand_admin' from identity.brands`)
    const [one = 0, other = 0] = [...new Set(rows.map(({ brand_id }) => brand_id))]
    return { one, other }
  } finally {
    await admin.end()
  }
}
