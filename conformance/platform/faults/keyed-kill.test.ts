import { randomUUID } from 'node:crypto'
import { json } from '@crewhall/testkit/people.ts'
import { scaled } from '@crewhall/testkit/rounds.ts'
import { type SlowMailServer, startSlowMailServer } from '@crewhall/testkit/slow-mail-server.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { createVirtualClock, type VirtualClock } from '@crewhall/testkit/virtual-clock.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { memberVerbs, type Team } from '../../workspaces/members/member-verbs.ts'

const rounds = scaled(20, 1)

let mail: SlowMailServer
let clock: VirtualClock
const env: Record<string, string> = { OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' }
beforeAll(async () => {
  mail = await startSlowMailServer(0)
  env.SMTP_URL = mail.url
})
const server = useServer('product', env)
const world = new World(server)
const { newTeam, givePassword } = memberVerbs(world)
beforeAll(() => {
  clock = createVirtualClock(server.database.name)
})
afterAll(async () => {
  clock?.close()
  await mail?.close()
})

interface Keyed {
  readonly path: string
  readonly body?: object
  /** What the request has done so far: rows, audit entries. */
  done(): Promise<unknown>
  /** The same when it was done once. */
  readonly once: unknown
  /** A second call is told so instead of the first answer. */
  readonly tells_once?: boolean
}

const count = async (text: string, ...values: unknown[]): Promise<number> =>
  (await world.sql<{ n: number }>(`select count(*)::int as n from ${text}`, values))[0]?.n ?? Number.NaN

const audited = (team: Team, action: string) =>
  count('platform.audit_entries where brand_id = $1 and action = $2', team.brand_id, action)

/** Writes rows only: everything in one transaction. */
async function newBoard(team: Team): Promise<Keyed> {
  const name = `Board ${randomUUID()}`
  return {
    path: '/api/v1/board/boards',
    body: { name, key: 'ONCE' },
    done: () => count('boards.boards where brand_id = $1 and name = $2', team.brand_id, name),
    once: 1,
  }
}

/** Asks a name server before its rows. */
async function newWebhook(team: Team): Promise<Keyed> {
  const url = `http://127.0.0.1:9/${randomUUID()}`
  return {
    path: '/api/v1/webhooks',
    body: { url, events: ['*'] },
    done: async () => [
      await count('webhooks.endpoints where brand_id = $1 and url = $2', team.brand_id, url),
      await audited(team, 'webhook.created'),
    ],
    once: [1, 1],
    tells_once: true,
  }
}

/** Commits a link, sends a letter, and answers. */
async function resetLetter(team: Team): Promise<Keyed> {
  const { person_id } = team.member
  await givePassword(person_id)
  return {
    path: `/api/v1/brands/${team.brand_id}/members/${person_id}/reset-password`,
    done: async () => [
      await count('identity.password_resets where person_id = $1', person_id),
      await audited(team, 'member.password_reset_requested'),
    ],
    once: [1, 1],
  }
}

/** Takes a card, then reads what is known about it, and answers. */
async function nextWork(team: Team): Promise<Keyed> {
  const headers = { authorization: `Bearer ${team.token}` }
  const make = async (path: string, body: object) => {
    const made = await server.get(`/api/v1/board/${path}`, json(body, headers))
    expect(made.status).toBe(201)
    return (await made.json()) as { id: string }
  }
  const board = await make('boards', { name: 'Work', key: 'WORK' })
  for (const title of ['One', 'Two']) await make(`boards/${board.id}/tasks`, { title })
  return {
    path: '/api/v1/board/work:next',
    body: { with: ['lessons'] },
    done: async () => [
      await count('boards.cards where board_id = $1 and claim_id is not null', board.id),
      await count('boards.runs where brand_id = $1', team.brand_id),
    ],
    once: [1, 1],
  }
}

const phased = ['keys.claimed', 'keys.prepared', 'keys.work', 'keys.kept']
const cases = [
  { what: 'a board', make: newBoard, steps: ['keys.work', 'keys.kept'] },
  { what: 'a webhook', make: newWebhook, steps: phased },
  { what: 'a reset letter', make: resetLetter, steps: phased },
  { what: 'the next card', make: nextWork, steps: phased },
].flatMap(({ steps, ...one }) => steps.map((step) => ({ ...one, step })))

async function round(make: (team: Team) => Promise<Keyed>, step: string): Promise<void> {
  const team = await newTeam()
  const { path, body, done, once, tells_once } = await make(team)
  const headers = { authorization: `Bearer ${team.token}`, 'idempotency-key': randomUUID() }
  const ask = async (url: string) => {
    const response = await fetch(url + path, body ? json(body, headers) : { method: 'POST', headers })
    return { status: response.status, text: await response.text(), headers: response.headers }
  }
  const victim = await server.start('api', { TEST_FAULT_POINTS: `${step}:kill@1` })
  await expect(ask(victim.url)).rejects.toThrow()
  await victim.ended
  let answer = await ask(server.api.url)
  if (answer.status === 409 && answer.headers.has('retry-after')) {
    // The dead process holds the key until its lease runs out.
    await clock.advance(31_000)
    answer = await ask(server.api.url)
  }
  const wasKept = step === 'keys.kept'
  if (wasKept && tells_once) expect(answer.status).toBe(409)
  else expect([200, 201]).toContain(answer.status)
  expect(answer.headers.has('idempotent-replayed')).toBe(wasKept && !tells_once)
  expect(await done()).toEqual(once)
  const again = await ask(server.api.url)
  if (tells_once) expect(again.status).toBe(409)
  else expect([again.status, again.text]).toEqual([answer.status, answer.text])
  expect(await done()).toEqual(once)
}

test.for(cases)(
  'S5: a kill at $step of a keyed request for $what leaves it done once, or free to be retried',
  { timeout: 60_000 + rounds * 30_000 },
  async ({ make, step }) => {
    const letters = mail.letters()
    for (let n = 0; n < rounds; n += 1) await round(make, step)
    // At least once, and a second time only where the first one was not known to have left.
    const sent = mail.letters() - letters
    const wanted = make === resetLetter ? (step === 'keys.prepared' || step === 'keys.work' ? 2 : 1) : 0
    expect(sent).toBe(wanted * rounds)
  },
)
