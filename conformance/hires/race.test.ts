import { race } from '@crewhall/testkit/race.ts'
import { roundsFor } from '@crewhall/testkit/rounds.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { expect, test } from 'vitest'
import { adminEnv, byKey } from '../identity/admin-verbs.ts'
import { type CatalogEmployee, catalogVerbs, content } from './catalog-verbs.ts'

const server = useServer('probe', adminEnv)
const { at, create, read, newKey } = catalogVerbs(server)
const clients = 10
const rounds = roundsFor(100, 0.4)

/** All have read the same revision and write on its ground; one of them may, and what it wrote is what is there. */
const run = (change: (profile_id: string, body: object) => Promise<{ status: number }>, isTwin = false) =>
  race<CatalogEmployee>({
    rounds,
    isTwin,
    clients,
    setup: () => create(newKey()),
    act: ({ profile_id, revision }, client) =>
      change(profile_id, { ...content, name: `Writer ${client}`, revision }),
    async verdict({ profile_id, revision }, outcomes) {
      const statuses = outcomes.map((each) =>
        each.status === 'fulfilled' ? (each.value as { status: number }).status : 0,
      )
      const other = statuses.filter((status) => status !== 200 && status !== 409)
      if (other.length > 0) return `answers of ${other}`
      const after = await read(profile_id)
      const won = statuses.flatMap((status, client) => (status === 200 ? [`Writer ${client}`] : []))
      if (won.length !== 1) return `${won.length} were told that they had written`
      if (after.draft?.name !== won[0]) return `${after.draft?.name} is there, not ${won[0]}`
      return after.revision === revision + 1 ? undefined : `the revision is ${after.revision}`
    },
  })

const put = (path: string, body: object) => at.call(null, 'PUT', path, body, byKey)

test(`${clients} changes of one revision at once, ${rounds} rounds: one is made, and nobody else is told so`, async () => {
  const result = await run((profile_id, body) => put(`/api/v1/admin/employees/${profile_id}/draft`, body))
  expect(result).toEqual({ rounds, wrong: 0, examples: [] })
})

test('the same race finds a twin that compares without a lock', async () => {
  const result = await run(
    (profile_id, body) => put(`/api/v1/probe/employees/${profile_id}/draft`, body),
    true,
  )
  expect(result.wrong).toBeGreaterThan(0)
})
