import { race } from '@crewhall/testkit/race.ts'
import { roundsFor } from '@crewhall/testkit/rounds.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { call } from '@crewhall/testkit/world/call.ts'
import { expect, test } from 'vitest'
import { ConversationWorkspace } from './conversation-world.ts'

const server = useServer('probe')
const clients = 50
const rounds = roundsFor(20, 0.9)

/** All clients want the one place that is left. */
const wanting = (isTwin: boolean, path: string) =>
  race<ConversationWorkspace>({
    rounds,
    isTwin,
    clients,
    async setup() {
      const work = await ConversationWorkspace.open(server)
      await work.limitSources(3)
      await work.add()
      await work.add()
      return work
    },
    act: ({ token, agent }) =>
      call(server.get, { token }, 'POST', path, { agent_id: agent, source_type: 'openclaw' }),
    async verdict(work, outcomes) {
      const told = outcomes.map((each) => (each.status === 'fulfilled' ? each.value : String(each.reason)))
      const answers = told.map((each) => JSON.stringify(each))
      const made = answers.filter((each) => each.includes('"status":201')).length
      const full = answers.filter((each) => each.includes('"quota_exceeded","limit":3,"current":3')).length
      const rows = await work.countSources()
      return made === 1 && full === clients - 1 && rows === 3
        ? undefined
        : `${made} made, ${full} full, ${rows} rows`
    },
  })

test(`CONV-09: ${clients} posts at once at one place left, ${rounds} rounds: one 201, all others 403 quota_exceeded`, async () => {
  expect(await wanting(false, '/api/v1/memory/sources')).toEqual({ rounds, wrong: 0, examples: [] })
})

test('the same race finds a twin that counts and inserts without a lock', async () => {
  const { wrong, examples } = await wanting(true, '/api/v1/probe/sources/naive')
  expect(wrong).toBeGreaterThan(0)
  expect(String(examples)).toMatch(/\b([2-9]|\d\d) made/)
})

test('CONV-10: while ownership cannot be checked a source is 503, and neither a row nor a place is taken', async () => {
  const impatient = await server.start('api', { DATABASE_LOCK_TIMEOUT_MS: '300' })
  const work = await ConversationWorkspace.open({
    get: (path, init) => fetch(`${impatient.url}${path}`, init),
    sql: server.sql,
  })
  await work.limitSources(1)
  // Whoever calls is remembered from here on.
  await work.call('GET', '/sources')
  const holder = await server.connection('superuser')
  await holder.query('begin')
  await holder.query('lock table identity.agents in access exclusive mode')
  const { status, body } = await work.create()
  expect([status, body]).toEqual([503, { detail: 'The memory is overloaded' }])
  await holder.query('rollback')
  expect(await work.countSources()).toBe(0)
  expect((await work.create()).status).toBe(201)
})
