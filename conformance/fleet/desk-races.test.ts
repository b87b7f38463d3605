import { createStorage, type Storage } from '@crewhall/server/platform/storage/storage.ts'
import { readServiceFacts } from '@crewhall/services/facts.ts'
import { outside } from '@crewhall/testkit/outside.ts'
import { formOf } from '@crewhall/testkit/people.ts'
import { png } from '@crewhall/testkit/pictures/picture-png.ts'
import { race } from '@crewhall/testkit/race.ts'
import { roundsFor, scaled } from '@crewhall/testkit/rounds.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { createVirtualClock } from '@crewhall/testkit/virtual-clock.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { type Answer, call } from '@crewhall/testkit/world/call.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DeskWorkspace, digestOf } from './desk-workspace.ts'

const server = useServer('probe')
let storage: Storage
beforeAll(() => {
  storage = createStorage({
    ...readServiceFacts().s3,
    prefix: `${server.database.name}/`,
    timeout_ms: 10_000,
  })
})
afterAll(async () => {
  for (let page = await storage.list(outside, ''); page.length > 0; page = await storage.list(outside, ''))
    await Promise.all(page.map(({ key }) => storage.remove(outside, key)))
  storage.close()
})

const capRounds = scaled(200, 3)
const pairRounds = roundsFor(200, 0.4)
const own = '/api/v1'
const naive = '/api/v1/probe'
const post = <Body>(at: DeskWorkspace, path: string, body?: unknown): Promise<Answer<Body>> =>
  call<Body>(server.get, { cookie: at.cookie }, 'POST', path, body)

const answerOf = <T>(outcome: PromiseSettledResult<unknown>): T | undefined =>
  outcome.status === 'fulfilled' ? (outcome.value as T) : undefined

/** A busy machine may shed a few of so many; whoever is asked to come again does. */
async function served(send: () => Promise<Answer>): Promise<Answer> {
  for (let tries = 0; tries < 20; tries += 1) {
    const answer = await send()
    if (answer.status !== 503) return answer
  }
  throw new Error('shed 20 times')
}

/** 50 orders at once, of which five have room. */
const orders = (prefix: string) =>
  race<DeskWorkspace>({
    rounds: capRounds,
    isTwin: prefix === naive,
    clients: 50,
    setup: () => DeskWorkspace.open(server, 5),
    act: (at) => served(() => post(at, `${prefix}/workstations`, { name: 'Desk' })),
    async verdict(at, outcomes) {
      const answers = outcomes.map((each) => answerOf<Answer<{ detail?: { current: number } }>>(each))
      const made = answers.filter((each) => each?.status === 201)
      const refused = answers.filter((each) => each?.status === 403 && each.body.detail?.current === 5)
      const { total } = await at.list()
      return made.length === 5 && refused.length === 45 && total === 5
        ? undefined
        : `${made.length} were taken and ${refused.length} refused, and there are ${total}`
    },
  })

test(`check 25, DESK-22, DESK-24: of 50 orders at once 5 are taken and 45 refused with current 5, in ${capRounds} rounds`, async () => {
  expect(await orders(own)).toEqual({ rounds: capRounds, wrong: 0, examples: [] })
})

test('the same race passes the cap where orders are counted without a lock', async () => {
  const { rounds, wrong, examples } = await orders(naive)
  console.log(`naive twin: wrong in ${wrong} of ${rounds} rounds: ${examples[0]}`)
  expect(wrong).toBeGreaterThan(0)
})

interface Target {
  readonly at: DeskWorkspace
  readonly id: string
}
let shared: DeskWorkspace
beforeAll(async () => {
  shared = await DeskWorkspace.open(server, 100_000)
})
const newTarget = async (): Promise<Target> => ({ at: shared, id: (await shared.ordered()).workstation_id })

const naiveSecrets = async (id: string) =>
  (
    await shared.world.sql<{ secret_digest: string }>(
      'select secret_digest from probe.naive_join_secrets where desk_id = $1',
      [id],
    )
  ).map(({ secret_digest }) => secret_digest)

const rotations = (prefix: string) =>
  race<Target>({
    rounds: pairRounds,
    isTwin: prefix === naive,
    clients: 2,
    setup: newTarget,
    act: ({ at, id }) => post(at, `${prefix}/workstations/${id}/regenerate-pat`),
    async verdict({ at, id }, outcomes) {
      const shown = outcomes.map((each) => answerOf<Answer<{ pat: string }>>(each))
      if (shown.some((each) => each?.status !== 200)) return `answered ${shown.map((each) => each?.status)}`
      const valid = prefix === naive ? await naiveSecrets(id) : await at.secrets(id)
      const digests = shown.map((each) => digestOf(String(each?.body.pat)))
      return valid.length === 1 && digests.includes(String(valid[0]))
        ? undefined
        : `${valid.length} tokens are valid`
    },
  })

test(`DESK-35, DESK-G11: of two new tokens at once exactly one is valid, in ${pairRounds} rounds`, async () => {
  expect(await rotations(own)).toEqual({ rounds: pairRounds, wrong: 0, examples: [] })
})

test('the same race leaves two where the old token is read without a lock', async () => {
  const { rounds, wrong } = await rotations(naive)
  console.log(`naive twin: wrong in ${wrong} of ${rounds} rounds`)
  expect(wrong).toBeGreaterThan(0)
})

interface PhotoTarget extends Target {
  /** One workspace for each round: its objects are those of one desk. */
  readonly brand_id: number
}
const kept: PhotoTarget[] = []
const keysOf = async (brand_id: number) =>
  (
    await shared.world.sql<{ key: string }>(
      'select object_key as key from fleet.desk_photos where brand_id = $1',
      [brand_id],
    )
  ).map(({ key }) => key)
const doomed = async (brand_id: number) =>
  (
    await shared.world.sql<{ key: string }>(
      `select data -> 'payload' ->> 'object_key' as key from pgboss.job where name = 'fleet.drop-photo-object'
       and data -> 'payload' ->> 'object_key' like $1`,
      [`desk-photos/${brand_id}/%`],
    )
  ).map(({ key }) => key)

/** No worker runs yet, so every object that was ever stored is still there. */
const uploads = (prefix: string) =>
  race<PhotoTarget>({
    rounds: pairRounds,
    isTwin: prefix === naive,
    clients: 2,
    async setup() {
      const at = await DeskWorkspace.open(server)
      const target = { at, brand_id: at.brand_id, id: (await at.ordered()).workstation_id }
      if (prefix === own) kept.push(target)
      return target
    },
    async act({ at, id }, client) {
      const form = formOf('file', png({ width: 4, height: 4, fill: [client * 99, 9, 9] }))
      const { status } = await post(at, `${prefix}/environments/${id}/image`, form)
      if (status !== 200) throw new Error(`answered ${status}`)
    },
    async verdict({ brand_id }, outcomes) {
      if (outcomes.some(({ status }) => status === 'rejected')) return 'an upload failed'
      const stored = (await storage.list(outside, `desk-photos/${brand_id}/`)).map(({ key }) => key)
      const [named, going] = [await keysOf(brand_id), await doomed(brand_id)]
      if (named.length !== 1) return `${named.length} photos`
      if (!named.every((key) => stored.includes(key))) return 'the photo has no object'
      if (named.some((key) => going.includes(key))) return 'the photo is going to be removed'
      const orphans = stored.filter((key) => !named.includes(key) && !going.includes(key))
      return orphans.length > 0 ? `${orphans.length} of ${stored.length} objects are forgotten` : undefined
    },
  })

test(`ENV-27: two uploads at once leave one photo, and the object of the other to a job, in ${pairRounds} rounds`, async () => {
  expect(await uploads(own)).toEqual({ rounds: pairRounds, wrong: 0, examples: [] })
})

test('the same race forgets objects where the old one is read without a lock', async () => {
  const { rounds, wrong } = await uploads(naive)
  console.log(`naive twin: wrong in ${wrong} of ${rounds} rounds`)
  expect(wrong).toBeGreaterThan(0)
})

test('ENV-38: after jobs and sweep there is exactly one object for each photo', async () => {
  const clock = createVirtualClock(server.database.name)
  await server.start('worker', clock.env)
  await clock.advance(2 * 3_600_000)
  await waitFor(async () => {
    const named = await shared.world.sql<{ key: string }>('select object_key as key from fleet.desk_photos')
    const stored = await storage.list(outside, 'desk-photos/')
    return (
      stored
        .map(({ key }) => key)
        .sort()
        .join() ===
      named
        .map(({ key }) => key)
        .sort()
        .join()
    )
  }, 120_000)
  expect(kept).toHaveLength(pairRounds)
  for (const { at, id } of kept.slice(0, 10)) expect((await at.photo(id)).status).toBe(200)
  clock.close()
})
