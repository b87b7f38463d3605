import { json } from '@crewhall/testkit/people.ts'
import { race } from '@crewhall/testkit/race.ts'
import { roundsFor } from '@crewhall/testkit/rounds.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import type pg from 'pg'
import { beforeAll, describe, expect, test } from 'vitest'
import { type MailPerson, newMailPerson, newName, ownAddress, renamed } from './mail-people.ts'

const rounds = roundsFor(200, 0.3)
const server = useSharedServer('probe')
const get = (path: string, init?: RequestInit) => server.get(path, init)
let admin: pg.Client
let people: MailPerson[]
beforeAll(async () => {
  admin = await server.connection('superuser')
  people = await Promise.all(Array.from({ length: 6 }, () => newMailPerson(get)))
})

/** What of mail names a race looks at: those of the product, or of its naive twin. */
interface Kind {
  readonly path: string
  /** Names of a person by whether they are current, also when that could not be. */
  list(person: MailPerson): Promise<{ name: string; is_current: boolean }[]>
  holders(name: string): Promise<number[]>
}

const kindOf = (path: string, table: string, isCurrent: string): Kind => ({
  path,
  list: async ({ person_id }) =>
    (
      await admin.query(`select name, ${isCurrent} as is_current from ${table} where person_id = $1`, [
        person_id,
      ])
    ).rows,
  holders: async (name) =>
    (
      await admin.query<{ person_id: number }>(`select person_id from ${table} where name = $1`, [name])
    ).rows.map(({ person_id }) => person_id),
})
const product = kindOf('/api/v1/me/mail/address', 'mailboxes.names', 'forwards_until is null')
const naive = kindOf('/api/v1/probe/mail/address', 'probe.mail_names', 'is_current')

const put = async (path: string, { headers }: MailPerson, name: string) => {
  const response = await get(path, { ...json({ name }, headers), method: 'PUT' })
  await response.arrayBuffer()
  return response.status
}
const statusOf = (outcome: PromiseSettledResult<unknown> | undefined) =>
  outcome?.status === 'fulfilled' ? outcome.value : outcome?.reason

const currentOf = async (kind: Kind, person: MailPerson) =>
  (await kind.list(person)).filter(({ is_current }) => is_current).map(({ name }) => name)

/** Each pair in turn. Their earlier names forward no more, so that nobody has more names than a person may. */
const claim = (kind: Kind) =>
  race({
    rounds,
    isTwin: kind === naive,
    clients: 2,
    async setup(round) {
      const pair = [0, 1].flatMap((each) => people[((round * 2) % 6) + each] ?? [])
      await admin.query(
        `update mailboxes.names set forwards_until = now() - interval '1 hour'
         where person_id = any($1) and forwards_until is not null`,
        [pair.map(({ person_id }) => person_id)],
      )
      return { pair, name: newName(), before: await Promise.all(pair.map((each) => currentOf(kind, each))) }
    },
    act: ({ pair, name }, client) => put(kind.path, pair[client] as MailPerson, name),
    async verdict({ pair, name, before }, outcomes) {
      const statuses = outcomes.map(statusOf)
      if ([...statuses].sort().join() !== '200,409') return `statuses ${statuses}`
      const winner = statuses.indexOf(200)
      const holders = await kind.holders(name)
      if (holders.join() !== String(pair[winner]?.person_id)) return `${name} is held by ${holders}`
      const after = await Promise.all(pair.map((each) => currentOf(kind, each)))
      if (after[winner]?.join() !== name) return `the winner has ${after[winner]}`
      const loser = 1 - winner
      return after[loser]?.join() === before[loser]?.join() ? undefined : `the loser has ${after[loser]}`
    },
  })

/** The first two ask for the other name, the last two for the one that is current at the start. */
const thereAndBack = (kind: Kind, person: MailPerson, [home, away]: readonly [string, string]) =>
  race({
    rounds,
    isTwin: kind === naive,
    clients: 4,
    async setup() {
      if ((await currentOf(kind, person)).join() !== home) await put(kind.path, person, home)
    },
    act: (_, client) => put(kind.path, person, client < 2 ? away : home),
    async verdict(_, outcomes) {
      const statuses = outcomes.map(statusOf)
      if (statuses.some((status) => status !== 200 && status !== 409)) return `statuses ${statuses}`
      const done = (from: number) => statuses.slice(from, from + 2).filter((status) => status === 200).length
      const names = (await kind.list(person)).filter(({ name }) => name === home || name === away)
      const current = names.filter(({ is_current }) => is_current).map(({ name }) => name)
      if (names.length !== 2 || current.length !== 1) return `names ${JSON.stringify(names)}`
      // Each rename starts from what the one before has left, so they took turns.
      const turns = done(0) - done(2)
      return turns === (current[0] === away ? 1 : 0) ? undefined : `${statuses} ended at ${current[0]}`
    },
  })

describe('two people claim one name', () => {
  test('MAIL-19: one gets it, the other is refused and keeps what they had', async () => {
    const result = await claim(product)
    expect(result).toEqual({ rounds, wrong: 0, examples: [] })
  })

  test('a naive rename gives it to both', async () => {
    await Promise.all(people.map((person) => put(naive.path, person, newName())))
    expect((await claim(naive)).wrong).toBeGreaterThan(0)
  })
})

describe('a rename and a rename back at once', () => {
  test('MAIL-G8: take turns, and leave one current name and one that forwards to it', async () => {
    const ann = await newMailPerson(get)
    const home = String((await ownAddress(get, ann)).body.address).replace('@mail.test', '')
    const away = newName()
    await renamed(get, ann, away)
    const result = await thereAndBack(product, ann, [home, away])
    expect(result).toEqual({ rounds, wrong: 0, examples: [] })
  })

  test('a naive rename leaves two names, none, or a rename that never was', async () => {
    const ann = await newMailPerson(get)
    const [home, away] = [newName(), newName()]
    await put(naive.path, ann, away)
    await put(naive.path, ann, home)
    expect((await thereAndBack(naive, ann, [home, away])).wrong).toBeGreaterThan(0)
  })
})
