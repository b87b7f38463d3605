import { runProcess } from '@crewhall/testkit/server-process.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { expect, test } from 'vitest'
import { adminEnv } from '../identity/admin-verbs.ts'
import { catalogVerbs } from './catalog-verbs.ts'

const server = useServer('product', adminEnv)
const { at, ask, change, publish, withdraw, read } = catalogVerbs(server)

const migrate = () =>
  runProcess({
    entry: 'apps/server/src/migrate.ts',
    database_url: server.database.url,
    env: { DATABASE_OWNER_URL: server.database.owner_url },
  })
const everything = async () => [
  await at.sql('select * from hires.employees order by key'),
  await at.sql('select * from hires.employee_versions order by profile_id, version'),
  await at.sql(`select * from identity.platform_entries where action like 'employee.%' order by id`),
]
const idOf = async (key: string) => {
  const [row] = await at.sql<{ profile_id: string }>(
    'select profile_id from hires.employees where key = $1',
    [key],
  )
  return row?.profile_id ?? ''
}

test('a migration loads the employees once: five published versions, each told, and nothing by the next one', async () => {
  const before = await everything()
  expect(before.map((rows) => rows.length)).toEqual([5, 5, 5])
  expect(before[2]?.[0]).toMatchObject({ action: 'employee.published', actor_kind: 'system' })
  await migrate()
  expect(await everything()).toEqual(before)
})

test('what an operator has changed, published or withdrawn is left alone by the next migration', async () => {
  const [builder, writer, reviewer] = [
    await idOf('builder'),
    await idOf('docs-writer'),
    await idOf('reviewer'),
  ]
  expect(await read(builder)).toMatchObject({ managed_by: 'release' })
  expect(await change(builder, { name: 'Our builder' })).toMatchObject({
    managed_by: 'operator',
    version: 1,
    draft_version: 2,
  })
  await change(writer, { name: 'Our writer' })
  await publish(writer)
  await withdraw(reviewer)
  const before = await everything()
  await migrate()
  expect(await everything()).toEqual(before)
  const { body } = await ask('GET', '/employees?limit=100&status=withdrawn')
  expect(body.items).toMatchObject([{ key: 'reviewer', managed_by: 'operator' }])
})
