import { createHash } from 'node:crypto'
import { scaled } from '@crewhall/testkit/rounds.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { beforeAll, expect, test } from 'vitest'
import { type Board, type Card, columnOf } from './board-workspace.ts'
import {
  checkSuite,
  type Delivery,
  deliver,
  followed,
  gitLabPush,
  type Hook,
  HookWorkspace,
  mergeRequest,
  openHook,
  pipeline,
  pullRequest,
  push,
  urls,
} from './hook-world.ts'

const count = scaled(200, 40)
const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 1_000_000))
const server = useServer('product')
beforeAll(() => server.start('worker'))

/** A workspace with the same board, cards and hooks as every other one of this file. */
interface Side {
  readonly workspace: HookWorkspace
  readonly board: Board
  readonly cards: readonly Card[]
  readonly hooks: Readonly<Record<'github' | 'gitlab', Hook>>
}
const cardCount = scaled(8, 3)

async function openSide(): Promise<Side> {
  const workspace = await HookWorkspace.open(server)
  const board = await workspace.board({ key: 'CORE' })
  const cards: Card[] = []
  for (let n = 1; n <= cardCount; n += 1) cards.push(await workspace.card(board, { branch: `work-${n}` }))
  await workspace.call('PUT', `/boards/${board.id}/on-merge`, { column: 'Done' })
  const hooks = {
    github: await openHook(workspace),
    gitlab: await openHook(workspace, { service: 'gitlab', url: urls.gitlab }),
  }
  return { workspace, board, cards, hooks }
}

interface Told {
  readonly to: 'github' | 'gitlab'
  readonly delivery: Delivery
  /** What somebody would write on the card who takes deliveries as they come. */
  readonly naive: { readonly card: number; readonly change: object }
}
const sha = (...parts: unknown[]) => createHash('sha1').update(JSON.stringify(parts)).digest('hex')

const states = ['draft', 'closed', 'open', 'merged'] as const

/** What happens to the cards in two repositories, in the order in which it happens. */
function history(): Told[] {
  const told: Told[] = []
  const say = (to: Told['to'], card: number, delivery: Delivery, change: object) =>
    told.push({ to, delivery, naive: { card, change } })
  for (let step = 0; told.length < count; step += 1) {
    const n = (step % cardCount) + 1
    const round = Math.floor(step / cardCount)
    const to = n % 2 === 0 ? 'gitlab' : 'github'
    const [branch, at] = [`work-${n}`, step * 10]
    const [before, after] = [round === 0 ? '0'.repeat(40) : sha(n, round - 1), sha(n, round)]
    const pushed = { branch, before, after, at, message: `CORE-${n} step ${round}` }
    say(to, n, to === 'github' ? push(pushed) : gitLabPush(pushed), { commit_sha: after })
    // Four states of a pull request, then the next one; every third card has none.
    if (n % 3 === 0) continue
    const number = n * 100 + Math.floor(round / states.length)
    const state = states[round % states.length] ?? 'open'
    const title =
      n === 2 && state !== 'merged' && round % states.length < 2 ? 'CORE-3 by mistake' : 'Something'
    const pull = { number, title, branch: n === 5 ? `core-${n}-x` : branch, state, sha: after, at: at + 1 }
    const make = to === 'github' ? pullRequest : mergeRequest
    say(to, n, make(pull), { pr_number: number, pr_state: state, commit_sha: after })
    const checks = { sha: after, id: step + 1, at: at + 2 }
    const ends = [{ state: 'pending' }, { state: round % 3 === 0 ? 'failed' : 'passed', at: at + 5 }] as const
    for (const end of ends) {
      const suite = { ...checks, ...end }
      say(to, n, to === 'github' ? checkSuite(suite) : pipeline(suite), {})
    }
  }
  return told.slice(0, count)
}

/** The same sequence for a seed. */
function chance(): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
const shuffled = <T>(all: readonly T[], next: () => number): T[] =>
  all
    .map((each) => [next(), each] as const)
    .sort(([a], [b]) => a - b)
    .map(([, each]) => each)

async function sendAll({ hooks }: Side, all: readonly Told[], atOnce: number): Promise<string[]> {
  const results: string[] = []
  for (let from = 0; from < all.length; from += atOnce) {
    const sent = all
      .slice(from, from + atOnce)
      .map(({ to, delivery }) => deliver(server.get, hooks[to], delivery))
    for (const { status, body } of await Promise.all(sent)) {
      expect(status).toBe(202)
      results.push(body.result)
    }
  }
  await followed(server)
  return results
}

const fields = ['status', 'pr_number', 'pr_url', 'pr_state', 'merged_at', 'commit_sha'] as const
const endOf = ({ workspace, cards }: Side, withDelivery = true) =>
  Promise.all(
    cards.map(async (card) => {
      const now = await workspace.read(card)
      const shown = Object.fromEntries(fields.map((field) => [field, now[field]]))
      if (!withDelivery) return shown
      return { ...shown, delivery: (await workspace.call('GET', `/tasks/${card.id}/delivery`)).body }
    }),
  )

test(`${count} deliveries shuffled, doubled and a third of them lost until they are sent again end as in order; whoever takes them as they come ends elsewhere (seed ${seed})`, {
  timeout: 240_000,
}, async () => {
  const next = chance()
  const all = history()
  const ordered = await openSide()
  const results = await sendAll(ordered, all, 1)
  expect(new Set(results)).toEqual(new Set(['taken']))
  const wanted = await endOf(ordered)
  // A history that does something: cards that were moved, and checks of both ends.
  expect(JSON.stringify(wanted)).toMatch(/"status":"done".*"checks":"(passed|failed)"/)

  const mixed = await openSide()
  const kept = all.filter(() => next() > 1 / 3)
  const arriving = shuffled([...kept, ...kept], next)
  await sendAll(mixed, arriving, 8)
  // The first one comes once more, after all others.
  const rest = [...shuffled(all, next), ...all.slice(0, 1)]
  const again = await sendAll(mixed, rest, 8)
  expect(again.filter((result) => result === 'repeated')).toHaveLength(kept.length + 1)
  expect(await endOf(mixed)).toEqual(wanted)
  // Once more under new ids, as if the old ones were forgotten.
  const versions = async () =>
    Promise.all(mixed.cards.map(async (card) => (await mixed.workspace.read(card)).version))
  const before = await versions()
  const renamed = all.map((each) => ({
    ...each,
    delivery: { ...each.delivery, id: `${each.delivery.id}-2` },
  }))
  expect(new Set(await sendAll(mixed, shuffled(renamed, next), 8))).toEqual(new Set(['stale']))
  expect(await endOf(mixed)).toEqual(wanted)
  expect(await versions()).toEqual(before)

  const twin = await openSide()
  for (const { naive } of [...arriving, ...rest]) {
    const card = twin.cards[naive.card - 1]
    if (card) await twin.workspace.patch(card, naive.change)
  }
  const [naive, right] = [await endOf(twin, false), await endOf(ordered, false)]
  expect(naive.map(({ commit_sha }) => commit_sha)).not.toEqual(right.map(({ commit_sha }) => commit_sha))
})

test('a merge moves a card once, not when the board does not say so, and never one that is over', async () => {
  const side = await openSide()
  const { workspace, board, cards, hooks } = side
  const [one, two, three] = cards
  if (!one || !two || !three) throw new Error('there are no cards')
  const merge = async ({ ref, number }: Card, at: number) => {
    const pull = { number: Number(number), title: ref, branch: 'x', state: 'merged', at } as const
    await deliver(server.get, hooks.github, pullRequest(pull))
    await followed(server)
  }
  await merge(one, 10)
  expect(await workspace.read(one)).toMatchObject({ status: 'done', pr_state: 'merged' })
  const { body } = await workspace.call<{
    items: { action: string; actor: { kind: string; name: string } }[]
  }>('GET', `/activity/boards/${board.id}?limit=2`)
  expect(body.items.map(({ action, actor }) => [action, actor.kind, actor.name])).toEqual([
    ['task.updated', 'system', 'GitHub'],
    ['task.moved', 'system', 'GitHub'],
  ])
  // Somebody knows better, and what is told of the same merge later does not move it again.
  await workspace.move(one, { column: 'Review' })
  await merge(one, 20)
  expect((await workspace.read(one)).column.name).toBe('Review')
  // A full column keeps the card, not the news.
  const done = columnOf(board, 'Done')
  await workspace.call('PATCH', `/boards/${board.id}`, { wip_limits: 'enforced' })
  await workspace.call('PATCH', `/columns/${done.id}`, { wip_limit: 1 })
  await workspace.move(three, { column: 'Done' })
  await merge(two, 10)
  expect(await workspace.read(two)).toMatchObject({ status: 'pending', pr_state: 'merged' })
  expect((await workspace.call('PUT', `/boards/${board.id}/on-merge`, { column: 'Nowhere' })).status).toBe(
    400,
  )
  expect((await workspace.call('PUT', `/boards/${board.id}/on-merge`, { column: null })).body).toEqual({
    column: null,
  })
  const four = await workspace.card(board)
  await merge(four, 10)
  expect(await workspace.read(four)).toMatchObject({ status: 'pending', pr_state: 'merged' })
})

test('checks are told in the feed, and a long delivery is read up to its limit', async () => {
  const { workspace, board, cards, hooks } = await openSide()
  const [card] = cards
  if (!card) throw new Error('there is no card')
  const after = sha('checks')
  // The checks come before anybody knows whose they are.
  await deliver(server.get, hooks.github, checkSuite({ sha: after, id: 1, at: 3, state: 'failed' }))
  await deliver(server.get, hooks.github, checkSuite({ sha: after, id: 2, at: 3, state: 'passed' }))
  const long = push({
    branch: 'work-1',
    before: '0'.repeat(40),
    after,
    at: 1,
    message: 'x'.repeat(2_000_000),
  })
  expect(await deliver(server.get, hooks.github, long)).toMatchObject({
    status: 202,
    body: { result: 'taken' },
  })
  await followed(server)
  expect((await workspace.call('GET', `/tasks/${card.id}/delivery`)).body).toMatchObject({ checks: 'failed' })
  await deliver(server.get, hooks.github, checkSuite({ sha: after, id: 1, at: 9, state: 'passed' }))
  await followed(server)
  const { body } = await workspace.call<{ items: { action: string; data: object }[] }>(
    'GET',
    `/activity/boards/${board.id}?limit=2`,
  )
  expect(body.items).toMatchObject([
    { action: 'task.checks_changed', data: { from: 'failed', to: 'passed', commit_sha: after } },
    { action: 'task.checks_changed', data: { from: null, to: 'failed' } },
  ])
  const version = (await workspace.read(card)).version
  const tooLong = push({
    branch: 'work-1',
    before: after,
    after: sha('more'),
    at: 2,
    message: 'x'.repeat(3_000_000),
  })
  expect((await deliver(server.get, hooks.github, tooLong)).status).toBe(413)
  expect((await workspace.read(card)).version).toBe(version)
})
