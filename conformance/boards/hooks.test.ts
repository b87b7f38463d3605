import { createHmac, randomUUID } from 'node:crypto'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { BoardWorkspace, type Card } from './board-workspace.ts'
import {
  type Delivery,
  deliver,
  followed,
  type Hook,
  HookWorkspace,
  hmac,
  mergeRequest,
  openHook,
  ping,
  pullRequest,
  urls,
} from './hook-world.ts'

const server = useServer('product')
beforeAll(() => server.start('worker'))

const openWorkspace = () => HookWorkspace.open(server)
let workspace: HookWorkspace
let hook: Hook
beforeAll(async () => {
  workspace = await openWorkspace()
  hook = await openHook(workspace)
})

const send = (delivery: Delivery, to = hook, headers?: Record<string, string>) =>
  deliver(server.get, to, delivery, headers)
const taken = { status: 202, body: { result: 'taken' } }
const settled = () => followed(server)
const delivered = async (card: Card) => {
  const { pr_number, pr_url, pr_state, merged_at, commit_sha } = await workspace.read(card)
  return { pr_number, pr_url, pr_state, merged_at, commit_sha }
}
const untouched = { pr_number: null, pr_url: null, pr_state: null, merged_at: null, commit_sha: null }
const rowsOf = (of: Hook) =>
  server.sql(
    `select (select count(*)::int from boards.hook_deliveries where hook_id = $1) as deliveries,
       (select count(*)::int from boards.pull_requests where hook_id = $1) as pulls`,
    [of.id],
  )

describe('a pull request finds its card', () => {
  test.each<[string, (card: Card) => object, (card: Card) => { title?: string; branch?: string }]>([
    ['by a ref in its title', () => ({}), ({ ref }) => ({ title: `${ref}: carry over` })],
    ['by a ref in its branch', () => ({}), ({ ref }) => ({ branch: `fix/${ref.toLowerCase()}-carry` })],
    ['by its branch', ({ id }) => ({ branch: `b-${id}` }), ({ id }) => ({ branch: `b-${id}` })],
  ])('%s', async (_, change, wording) => {
    const card = await workspace.card(await workspace.board())
    await workspace.patch(card, change(card))
    const { version } = await workspace.read(card)
    const number = 1000 + Number(card.ref.length) + Math.floor(Math.random() * 1_000_000)
    const told = { number, ...wording(card) }
    expect(await send(pullRequest(told))).toEqual(taken)
    await settled()
    const open = {
      pr_number: number,
      pr_url: `${urls.github}/pull/${number}`,
      pr_state: 'open',
      merged_at: null,
    }
    expect(await delivered(card)).toEqual({ ...open, commit_sha: 'a'.repeat(40) })
    const { body } = await workspace.call<{ items: { action: string; actor: object; data: object }[] }>(
      'GET',
      `/activity/boards/${card.board_id}?limit=1`,
    )
    expect(body.items[0]).toMatchObject({
      action: 'task.updated',
      actor: { kind: 'system', id: 'GitHub', name: 'GitHub', on_behalf_of: null },
    })
    expect(await workspace.read(card)).toMatchObject({ version: Number(version) + 1, source: 'member' })
    // Sent again, under the same id and under another, it changes nothing.
    const again = pullRequest(told)
    expect((await send(again)).body).toEqual({ result: 'stale' })
    expect((await send(again)).body).toEqual({ result: 'repeated' })
    expect(await send(pullRequest({ ...told, state: 'merged', at: 60 }))).toEqual(taken)
    // What was sent before the merge comes after it.
    expect((await send(pullRequest({ ...told, state: 'draft', at: 30 }))).body).toEqual({ result: 'stale' })
    await settled()
    expect(await delivered(card)).toMatchObject({
      pr_state: 'merged',
      merged_at: '2026-03-02T10:01:00.000000Z',
      commit_sha: '5'.repeat(40),
    })
    expect((await workspace.read(card)).version).toBe(Number(version) + 2)
  })

  test('by the address that somebody wrote, which stays when another one names the card', async () => {
    const board = await workspace.board()
    const card = await workspace.card(board, { pr_url: `${urls.github}/pull/501` })
    await send(pullRequest({ number: 501, state: 'draft' }))
    await send(pullRequest({ number: 502, title: `${card.ref} again` }))
    await settled()
    expect(await delivered(card)).toMatchObject({ pr_number: 501, pr_state: 'draft' })
  })

  test('no longer when its title names another one', async () => {
    const board = await workspace.board()
    const [wrong, right] = [await workspace.card(board), await workspace.card(board)]
    await send(pullRequest({ number: 601, title: `${wrong.ref} carry` }))
    await settled()
    expect(await delivered(wrong)).toMatchObject({ pr_number: 601 })
    await send(pullRequest({ number: 601, title: `${right.ref} carry`, at: 9 }))
    await settled()
    expect(await delivered(wrong)).toMatchObject({ pr_number: null, pr_url: null, pr_state: null })
    expect(await delivered(right)).toMatchObject({ pr_number: 601 })
  })

  test('but not by the branch of a stranger, on a board that the hook is not for, or when it is archived', async () => {
    const [board, other] = [await workspace.board(), await workspace.board()]
    const narrow = await openHook(workspace, { url: `${urls.github}-two`, board_ids: [board.id] })
    const [own, foreign] = [await workspace.card(board, { branch: 'same' }), await workspace.card(other)]
    const archived = await workspace.card(board)
    const elsewhere = await workspace.card(board, { branch: 'same', repository: 'team/another' })
    await workspace.call('POST', `/tasks/${archived.id}/archive`)
    const inTwo = (delivery: Delivery): Delivery => {
      const text = JSON.stringify(delivery.body).replaceAll(urls.github, `${urls.github}-two`)
      return { ...delivery, body: JSON.parse(text) }
    }
    await send(inTwo(pullRequest({ number: 1, branch: 'same', fork: true })), narrow)
    await send(inTwo(pullRequest({ number: 2, title: `${foreign.ref} ${archived.ref}` })), narrow)
    await settled()
    for (const card of [own, foreign, archived, elsewhere]) expect(await delivered(card)).toEqual(untouched)
    await send(inTwo(pullRequest({ number: 3, branch: 'same' })), narrow)
    await settled()
    expect(await delivered(own)).toMatchObject({ pr_number: 3 })
    expect(await delivered(elsewhere)).toEqual(untouched)
  })

  test('at GitLab, with the times and states that it sends', async () => {
    const gitlab = await openHook(workspace, { service: 'gitlab', url: urls.gitlab })
    const card = await workspace.card(await workspace.board())
    const title = `Draft: ${card.ref} carry`
    expect(await send(mergeRequest({ number: 3, title, state: 'draft' }), gitlab)).toEqual(taken)
    await settled()
    const url = `${urls.gitlab}/-/merge_requests/3`
    expect(await delivered(card)).toMatchObject({ pr_number: 3, pr_url: url, pr_state: 'draft' })
    // It does not say when: the first time counts, also if that comes last.
    await send(mergeRequest({ number: 3, title, state: 'merged', at: 90 }), gitlab)
    await send(mergeRequest({ number: 3, title, state: 'merged', at: 70 }), gitlab)
    await settled()
    expect(await delivered(card)).toMatchObject({
      pr_state: 'merged',
      merged_at: '2026-03-02T10:01:10.000000Z',
      commit_sha: 'c'.repeat(40),
    })
  })
})

describe('nothing changes for', () => {
  const card = async () => workspace.card(await workspace.board())
  const refused = { status: 403, body: { detail: 'The signature does not fit' } }
  const text = (delivery: Delivery) => JSON.stringify(delivery.body)

  test.each<[string, (delivery: Delivery) => Promise<unknown>]>([
    ['no signature', (delivery) => send(delivery, hook, { 'x-github-event': delivery.event })],
    [
      'one of another secret',
      (delivery) => send(delivery, hook, { 'x-hub-signature-256': hmac('other', text(delivery)) }),
    ],
    [
      'one of another body',
      (delivery) => send(delivery, hook, { 'x-hub-signature-256': hmac(hook.secret, `${text(delivery)} `) }),
    ],
    ['another token', (delivery) => send(delivery, hook, { 'x-gitlab-token': 'other' })],
    [
      'a good token beside a wrong signature',
      (delivery) =>
        send(delivery, hook, { 'x-hub-signature-256': 'sha256=00', 'x-gitlab-token': hook.secret }),
    ],
    [
      'a standard signature that is wrong',
      (delivery) => send(delivery, hook, { 'webhook-signature': 'v1,AAAA' }),
    ],
    [
      'a hook that does not exist',
      (delivery) => send(delivery, { ...hook, path: `/api/v1/hooks/${randomUUID()}` }),
    ],
    ['what is no hook', (delivery) => send(delivery, { ...hook, path: '/api/v1/hooks/nope' })],
    [
      'the secret of a hook of another workspace',
      async (delivery) => {
        const other = await openHook(await openWorkspace())
        return send(delivery, { ...hook, secret: other.secret })
      },
    ],
  ])('%s', async (_, sending) => {
    const told = await card()
    const before = await rowsOf(hook)
    expect(await sending(pullRequest({ number: 701, title: told.ref }))).toEqual(refused)
    expect(await rowsOf(hook)).toEqual(before)
    expect(await delivered(told)).toEqual(untouched)
  })

  test('another repository, and one that took the name of the first', async () => {
    const told = await card()
    const before = await rowsOf(hook)
    const delivery = pullRequest({ number: 702, title: told.ref })
    const { repository } = delivery.body
    const other = { status: 409, body: { detail: 'The delivery is about another repository than the hook' } }
    for (const [id, html_url] of [
      [5, 'https://github.com/difference/other'],
      [5, urls.github],
    ])
      expect(
        await send({ ...delivery, body: { ...delivery.body, repository: { ...repository, id, html_url } } }),
      ).toEqual(other)
    expect(await rowsOf(hook)).toEqual(before)
    // Renamed, it is the same one.
    const moved = 'https://github.com/difference/analytical'
    const renamed = JSON.parse(JSON.stringify(delivery.body).replaceAll(urls.github, moved))
    expect((await send({ ...delivery, body: renamed })).body).toEqual({ result: 'taken' })
  })

  test('events of other kinds, what is no JSON, and addresses that lead elsewhere', async () => {
    const odd = pullRequest({ number: 703 })
    odd.body.pull_request.html_url = 'https://evil.example/pull/703'
    const wrong = pullRequest({ number: 704 })
    wrong.body.pull_request.head.sha = 'no hash'
    const bodies = [null, [], 'text', 7, { repository: null }]
    const others = bodies.map((body) => ({ event: 'pull_request', id: randomUUID(), body }))
    for (const delivery of [odd, wrong, { ...pullRequest({ number: 705 }), event: 'star' }, ...others])
      expect(await send(delivery)).toEqual({ status: 202, body: { result: 'ignored' } })
    expect((await rowsOf(hook)).length).toBe(1)
  })
})

test('a hook is made, listed with its last delivery, rotated with an overlap, changed and deleted', async () => {
  const own = await openWorkspace()
  const made = await openHook(own, { url: `${urls.github}.git/` })
  expect(made).toMatchObject({ url: urls.github.toLowerCase(), path: `/api/v1/hooks/${made.id}` })
  expect((await own.call('POST', '/hooks', { service: 'github', url: urls.github })).status).toBe(409)
  expect((await send(ping(), made)).body).toEqual({ result: 'pong' })
  const { secret, ...shown } = made
  const { body } = await own.call<{ items: Hook[] }>('GET', '/hooks')
  expect(body.items).toEqual([
    { ...shown, last_delivery: expect.objectContaining({ event: 'ping', result: 'pong' }) },
  ])
  const rotated = (await own.call<Hook>('POST', `/hooks/${made.id}/rotate-secret`)).body
  expect(rotated.old_secret_until).toMatch(/^20/)
  expect(rotated.secret).not.toBe(secret)
  for (const each of [made, rotated]) expect((await send(ping(), each)).status).toBe(202)
  // As hosts sign that follow Standard Webhooks.
  const [id, time, text] = [randomUUID(), '1772445600', JSON.stringify(ping().body)]
  const key = Buffer.from(rotated.secret.slice('whsec_'.length), 'base64')
  const digest = createHmac('sha256', key).update(`${id}.${time}.${text}`).digest('base64')
  const standard = {
    'webhook-id': id,
    'webhook-timestamp': time,
    'webhook-signature': `v1,AAAA v1,${digest}`,
  }
  expect((await send(ping(), rotated, standard)).status).toBe(202)
  await server.sql(
    `update boards.hooks set old_secret_until = platform.now() - interval '1 s' where id = $1`,
    [made.id],
  )
  expect((await send(ping(), made)).status).toBe(403)
  const kept = [
    await server.sql('select h::text from boards.hooks h where id = $1', [made.id]),
    await server.sql('select a::text from platform.audit_entries a where brand_id = $1', [
      own.owner.brand_id,
    ]),
  ]
  for (const each of [made, rotated]) expect(JSON.stringify(kept)).not.toContain(each.secret.slice(6))
  expect(JSON.stringify(kept)).toContain('hook.secret_rotated')
  const foreign = await workspace.board()
  expect((await own.call('PATCH', `/hooks/${made.id}`, { board_ids: [foreign.id] })).status).toBe(400)
  const board = await own.board()
  expect((await own.call('PATCH', `/hooks/${made.id}`, { board_ids: [board.id] })).body).toMatchObject({
    board_ids: [board.id],
  })
  expect((await own.call('DELETE', `/hooks/${made.id}`)).body).toEqual({ removed: true })
  expect((await send(ping(), rotated)).status).toBe(403)
  expect((await own.call('GET', `/hooks/${made.id}`)).status).toBe(404)
})

test('hooks belong to admins with the scope, and to their workspace', async () => {
  const other = await openWorkspace()
  const member = await workspace.newMember()
  const plain = new BoardWorkspace({ ...workspace, token: member.token })
  const path = `/hooks/${hook.id}`
  for (const [method, at, body] of [
    ['GET', path, undefined],
    ['PATCH', path, {}],
    ['DELETE', path, undefined],
    ['POST', `${path}/rotate-secret`, undefined],
  ] as const) {
    expect((await other.call(method, at, body)).status).toBe(404)
    expect((await plain.call(method, at, body)).status).toBe(403)
  }
  expect((await plain.call('GET', '/hooks')).status).toBe(403)
  expect((await send(ping())).body).toEqual({ result: 'pong' })
})
