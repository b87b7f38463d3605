import { race } from '@crewhall/testkit/race.ts'
import { roundsFor } from '@crewhall/testkit/rounds.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import type { Answer } from '@crewhall/testkit/world/call.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { adminEnv } from '../identity/admin-verbs.ts'
import { type ActiveHire, type Canceled, HireWorkspace, operator } from './hire-workspace.ts'

const server = useServer('probe', { ...adminEnv, HTTP_RATE_LIMIT_PER_MINUTE: '0' })
let work: HireWorkspace
beforeAll(async () => {
  work = await HireWorkspace.open(server)
})

const naive = (hire_id: string) =>
  work.at.call<Canceled>(work.by, 'POST', `/api/v1/probe/naive/hires/${hire_id}/cancel-immediate`)
const statusesOf = (outcomes: readonly PromiseSettledResult<unknown>[]) =>
  outcomes.map((each) => (each.status === 'fulfilled' ? (each.value as Answer).status : String(each.reason)))

/** As if there had been nothing before. */
async function clean(): Promise<void> {
  await server.sql('delete from marketplace.install_refs where brand_id = $1', [work.brand_id])
  await server.sql('delete from marketplace.installs where brand_id = $1', [work.brand_id])
  await server.sql(
    `update hires.hires set status = 'canceled', canceled_at = now(), effective_at = now(), ended_at = now()
     where brand_id = $1 and ended_at is null`,
    [work.brand_id],
  )
  await server.sql(
    'update identity.tokens set revoked_at = now() where brand_id = $1 and agent_id is not null',
    [work.brand_id],
  )
}

describe('HIRE-37: of several that cancel a hire at once one succeeds', () => {
  const rounds = roundsFor(50, 0.8)
  const run = (isTwin: boolean) =>
    race<ActiveHire>({
      rounds,
      isTwin,
      clients: 4,
      async setup() {
        await clean()
        return work.hire('reviewer', ['boards'])
      },
      act: ({ hire_id }, client) => {
        if (isTwin) return naive(hire_id)
        const how = client % 2 === 0 ? 'cancel-immediate' : 'cancel'
        return work.cancel(hire_id, how, client < 2 ? work.by : operator)
      },
      async verdict({ hire_id }, outcomes) {
        const statuses = statusesOf(outcomes).toSorted()
        if (statuses.join() !== '200,409,409,409') return `answers ${statuses}`
        const told = await work.events(hire_id, 'hire.canceled')
        return told === 1 ? undefined : `${told} events`
      },
    })
  test(`${rounds} rounds`, async () => {
    expect(await run(false)).toEqual({ rounds, wrong: 0, examples: [] })
  })
  test('and not with a twin that looks without a lock', async () => {
    expect((await run(true)).wrong).toBeGreaterThan(0)
  })
})

interface Round {
  readonly a: ActiveHire
  readonly b: ActiveHire
  /** Canceled before, and due now. */
  readonly due: ActiveHire
  /** Hired while the others end. */
  readonly again: ActiveHire
  readonly number: number
}
const rounds = roundsFor(200, 0.5)

/** Hires that share packages end, begin and are reconciled at one moment, while the workspace installs one of them itself. */
const interleave = (isTwin: boolean) =>
  race<Round>({
    rounds,
    isTwin,
    clients: 6,
    async setup(number) {
      await clean()
      const a = await work.hire('reviewer', ['boards', 'memory'])
      const b = await work.hire('docs-writer', ['memory', 'lessons'])
      const due = await work.hire('test-engineer', ['lessons', 'boards'])
      await server.sql(
        `update hires.hires set status = 'canceled', cancel_at_period_end = true, canceled_at = platform.now(),
           effective_at = platform.now() where id = $1`,
        [due.hire_id],
      )
      const again = await work.hire('release-manager', [])
      return { a, b, due, again, number }
    },
    act({ a, b, again, number }, client) {
      if (client === 0) return isTwin ? naive(a.hire_id) : work.cancel(a.hire_id, 'cancel-immediate')
      if (client === 1)
        return isTwin ? naive(b.hire_id) : work.cancel(b.hire_id, 'cancel-immediate', operator)
      // Two workers at once.
      if (client < 4) return work.at.call(null, 'POST', '/api/v1/probe/hires/periods')
      const key = ['boards', 'lessons', 'memory'][number % 3] ?? ''
      if (client === 4) {
        const body = { agent_id: again.agent_id, packages: number % 2 === 0 ? [key] : [] }
        return work.at.call(work.by, 'POST', `/api/v1/probe/hires/${again.hire_id}/references`, body)
      }
      // Of six rounds one: then every package may go.
      if (number % 6 < 4) return work.at.call(work.by, 'GET', '/api/v1/marketplace/installs')
      return work.at.call(work.by, 'POST', '/api/v1/marketplace/installs', { package_key: key })
    },
    async verdict({ a, b, due }, outcomes) {
      const statuses = statusesOf(outcomes)
      if (statuses.some((status) => status !== 200 && status !== 201)) return `answers ${statuses}`
      const wrong = await server.sql<{ package_key: string; is_enabled: boolean }>(
        `select i.package_key, i.is_enabled from marketplace.installs i where i.brand_id = $1 and i.is_enabled <>
           (i.origin = 'workspace' or exists (select from marketplace.install_refs r join hires.hires h
             on h.brand_id = r.brand_id and h.id = r.hire_id and h.ended_at is null
             where r.brand_id = i.brand_id and r.package_key = i.package_key))`,
        [work.brand_id],
      )
      if (wrong.length > 0) return `${JSON.stringify(wrong)} with ${JSON.stringify(await work.references())}`
      for (const { hire_id } of [a, b, due]) {
        const { ended_at, installs_disabled, installs_retained } = await work.row(hire_id)
        if (ended_at === null) return `${hire_id} goes on`
        if ((installs_disabled ?? 0) + (installs_retained ?? 0) !== 2)
          return `${installs_disabled} and ${installs_retained}`
        const told = await work.events(hire_id, 'hire.ended')
        if (!isTwin && told !== 1) return `ended ${told} times`
      }
      const left = (await work.references()).map(({ hire_id }) => hire_id)
      return [a, b, due].some(({ hire_id }) => left.includes(hire_id))
        ? 'references of an ended hire'
        : undefined
    },
  })

test(`HIRE-26, HIRE-23: a package is on if and only if a running hire or the workspace needs it, ${rounds} interleavings`, async () => {
  expect(await interleave(false)).toEqual({ rounds, wrong: 0, examples: [] })
})

test('the same interleavings find a twin that counts without a lock', async () => {
  const { rounds, wrong } = await interleave(true)
  console.log(`${wrong} of ${rounds} rounds were wrong`)
  expect(wrong).toBeGreaterThan(0)
})
