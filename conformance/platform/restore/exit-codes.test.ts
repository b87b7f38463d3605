import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { expect, test } from 'vitest'
import { RestoredServer } from './restored-server.ts'

const server = useServer('product')
const restored = new RestoredServer(server)
const timelines = async () => (await server.sql('select from platform.timelines')).length

test('whatever fails before it is closed ends with 2 and has done nothing', async () => {
  await server.api.stop()
  const url = new URL(server.database.owner_url)
  const withUrl = (change: Partial<Pick<URL, 'username' | 'port' | 'pathname'>>) => ({
    DATABASE_OWNER_URL: Object.assign(new URL(url), change).href,
  })
  const faults = {
    'a wrong key of the storage': { S3_SECRET_ACCESS_KEY: 'wrong' },
    'a storage that is not there': { S3_ENDPOINT: 'http://127.0.0.1:1' },
    'a login that is refused': withUrl({ username: 'nobody' }),
    'a server that is not there': withUrl({ port: '1' }),
    'a database that is not there': withUrl({ pathname: '/absent' }),
  }
  const to = await restored.now()
  for (const [fault, env] of Object.entries(faults)) {
    const { code, output } = await restored.restore(to, ['--without-amcheck'], env)
    expect([fault, code, output]).toEqual([fault, 2, expect.stringMatching(/^Nothing was done: .{10,}/m)])
    expect(output).not.toContain('closed')
  }
  expect(await timelines()).toBe(1)
})

test('what fails after it was closed ends with 1, and is said to be closed', async () => {
  // The check of objects reads it last.
  const owner = await server.connection('owner')
  await owner.query('alter table fleet.desk_photos rename column object_key to was_object_key')
  const { code, output } = await restored.restore(await restored.now(), ['--without-amcheck'])
  await owner.query('alter table fleet.desk_photos rename column was_object_key to object_key')
  expect([code, output]).toEqual([1, expect.stringMatching(/^closed; checking$/m)])
  expect(output).toMatch(/^Closed, but not all was checked: .*object_key/m)
  expect(await timelines()).toBe(2)
})

test('the product that is started while it is being closed keeps it from being closed', async () => {
  const before = await timelines()
  const [other, product] = [await server.connection('owner'), await server.connection('application')]
  await other.query('begin')
  await other.query('lock table identity.brands in share mode')
  const restoring = restored.restore(await restored.now(), ['--without-amcheck'])
  // Only a superuser sees what others wait for.
  const superuser = await server.connection('superuser')
  const waiting = `select from pg_stat_activity where datname = current_database()
    and application_name = 'crewhall-admin' and wait_event_type = 'Lock'`
  await waitFor(async () => (await superuser.query(waiting)).rowCount === 1, 30_000)
  await product.query(`set application_name = 'crewhall-api'`)
  await other.query('commit')
  const { code, output } = await restoring
  await product.query('reset application_name')
  expect([code, output]).toEqual([2, expect.stringContaining('stop the product first: crewhall-api')])
  expect(await timelines()).toBe(before)
})
