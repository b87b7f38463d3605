import type { TestDatabase } from '@crewhall/testkit/databases.ts'
import { matrixParts } from '@crewhall/testkit/matrix/parts.ts'
import { connect } from '@crewhall/testkit/world/database-access.ts'

/** Rows of two brands in every tenant table, past row-level security. */
export async function fillTwoBrands(database: TestDatabase): Promise<{ one: number; other: number }> {
  const admin = await connect(database, 'superuser')
  try {
    const { rows } = await admin.query<{ brand_id: number }>(`
      with person as (
        insert into identity.people (email, full_name) values ('a@example.test', 'A'), ('b@example.test', 'B') returning id),
      brand as (
        insert into identity.brands (name, plan_key, scope_ceiling) values ('A', 'free', '{}'), ('B', 'free', '{}') returning id)
      insert into identity.memberships (brand_id, person_id, role)
      select brand.id, person.id, 'admin' from brand, person returning brand_id`)
    for (const { tenant_rows } of matrixParts) await admin.query(tenant_rows)
    const [one = 0, other = 0] = [...new Set(rows.map(({ brand_id }) => brand_id))]
    return { one, other }
  } finally {
    await admin.end()
  }
}
