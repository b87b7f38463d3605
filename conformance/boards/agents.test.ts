import { json, newToken } from '@crewhall/testkit/people.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { bearer } from '@crewhall/testkit/world/call.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Board, BoardWorkspace, type Card } from './board-workspace.ts'

const server = useSharedServer('product')
const get = (path: string, init?: RequestInit) => server.get(path, init)

interface Token {
  id: string
  token: string
  agent: string | null
}
interface Actor {
  kind: string
  id: string
  name: string
  on_behalf_of: { id: string; name: string } | null
}

let person: BoardWorkspace
let issued: Token
let agent: BoardWorkspace
let board: Board
let builder: Actor

const tokensPath = () => `/api/v1/brands/${person.owner.brand_id}/tokens`
const order = (body: object, headers: Record<string, string> = { cookie: person.owner.cookie }) =>
  get(tokensPath(), json({ name: 'test', scopes: [], ...body }, headers))
const tokenFor = async (name: string): Promise<Token> => {
  const response = await order({ agent: name })
  expect(response.status).toBe(201)
  return (await response.json()) as Token
}

beforeAll(async () => {
  person = await BoardWorkspace.open(server)
  issued = await tokenFor('builder')
  agent = person.as(issued.token)
  board = await person.board()
  const on_behalf_of = { id: String(person.owner.person_id), name: 'Ann Example' }
  builder = { kind: 'agent', id: issued.id, name: 'builder', on_behalf_of }
})

const member = (): Actor => ({
  kind: 'member',
  id: String(person.owner.person_id),
  name: 'Ann Example',
  on_behalf_of: null,
})

describe('the token', () => {
  test('says which agent it speaks for when it is made, in lists and to whoever calls with it', async () => {
    expect(issued).toMatchObject({ agent: 'builder' })
    const session = { headers: { cookie: person.owner.cookie } }
    const { tokens } = (await (await get(tokensPath(), session)).json()) as { tokens: Token[] }
    expect(tokens.find(({ id }) => id === issued.id)?.agent).toBe('builder')
    expect(tokens.find(({ id }) => id !== issued.id)?.agent).toBeNull()
    const me = (await (await get('/api/v1/me', { headers: bearer(issued.token) })).json()) as object
    expect(me).toMatchObject({ agent: 'builder', person: { id: person.owner.person_id } })
  })

  test('without an agent tells of itself what it always told', async () => {
    const me = (await (await get('/api/v1/me', { headers: bearer(person.token) })).json()) as object
    expect(Object.keys(me)).toEqual([
      'person',
      'brand_id',
      'role',
      'credential',
      'scopes',
      'expires_at',
      'memberships',
    ])
  })

  test.each(['', '  ', 'x'.repeat(101), 'two\nlines', 'a\u0000b', 'a\u2028b', null, 7])(
    'refuses %j as an agent',
    async (name) => {
      expect((await order({ agent: name })).status).toBe(422)
    },
  )

  test('takes 100 characters of any script', async () => {
    const name = '\u{1F916}'.repeat(100)
    expect((await tokenFor(name)).agent).toBe(name)
  })

  test('keeps its agent when its secret is replaced', async () => {
    const { id } = await tokenFor('rotor')
    const path = `${tokensPath()}/${id}/rotate`
    const response = await get(path, { method: 'POST', headers: { cookie: person.owner.cookie } })
    expect(await response.json()).toMatchObject({ id, agent: 'rotor' })
  })

  test('makes no token with which the agent would pass for the person', async () => {
    const headers = { authorization: `Bearer ${issued.token}` }
    const made = (await (await order({}, headers)).json()) as Token
    expect(made.agent).toBe('builder')
    const card = await person.as(made.token).card(board)
    expect(card.created_by).toMatchObject({ kind: 'agent', name: 'builder' })
  })

  test('may do what its person and its scopes may, and no more', async () => {
    const path = `/api/v1/brands/${person.owner.brand_id}/audit`
    const plain = await newToken(get, person.owner, [])
    const answers = [
      await get(path, { headers: bearer(plain.token) }),
      await get(path, { headers: bearer(issued.token) }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([403, 403])
    expect(await answers[1]?.text()).toBe(await answers[0]?.text())
    const foreign = await BoardWorkspace.open(server)
    const card = await foreign.card(await foreign.board())
    expect((await agent.call('GET', `/tasks/${card.id}`)).status).toBe(404)
  })
})

describe('on a board', () => {
  test('a card that an agent made and changed says so, and whom it works for', async () => {
    const card = await agent.card(board)
    expect(card).toMatchObject({
      created_by: builder,
      updated_by: builder,
      reporter: builder,
      source: 'agent',
    })
    await person.patch(card, { title: 'By hand' })
    expect(await person.read(card)).toMatchObject({ created_by: builder, updated_by: member() })
    await agent.patch(card, { title: 'By the agent' })
    expect(await person.read(card)).toMatchObject({ updated_by: builder })
  })

  test('every kind of change is told as the agent’s', async () => {
    const own = await agent.board({ key: 'AGENT' })
    const [first, second] = [await agent.card(own), await agent.card(own)]
    await agent.patch(first, { title: 'Other' })
    await agent.move(first, { column: 'Review' })
    await agent.call('POST', `/tasks/${first.id}/comments`, { body: 'Done soon' })
    await agent.call('PUT', `/tasks/${first.id}/relations/relates/${second.id}`)
    await agent.call('POST', `/tasks/${second.id}/claim`, {})
    const run = await agent.call<{ id: string; started_by: Actor }>('POST', `/tasks/${second.id}/runs`, {})
    expect(run.body.started_by).toEqual(builder)
    await agent.call('PATCH', `/runs/${run.body.id}`, { status: 'succeeded' })
    await agent.call('POST', `/tasks/${first.id}/archive`)
    await agent.call('POST', `/tasks/${first.id}/restore`)
    await agent.call('POST', `/boards/${own.id}/columns`, { name: 'Later', status: 'pending' })
    await agent.call('PATCH', `/boards/${own.id}`, { name: 'Renamed' })
    const feed = await person.call<{ items: { action: string; actor: Actor }[] }>(
      'GET',
      `/activity/boards/${own.id}`,
    )
    const actions = new Set(feed.body.items.map(({ action }) => action))
    for (const action of ['board.created', 'board.updated', 'task.created', 'task.updated', 'task.moved']) {
      expect(actions).toContain(action)
    }
    for (const action of [
      'task.commented',
      'task.claimed',
      'task.archived',
      'task.restored',
      'task.related',
    ]) {
      expect(actions).toContain(action)
    }
    expect(actions).toContain('run.started')
    expect(actions).toContain('run.finished')
    for (const { action, actor } of feed.body.items) expect([action, actor]).toEqual([action, builder])
  })

  test('a comment names the agent as its author, who may rewrite it; other agents of the person may not', async () => {
    const card = await person.card(board)
    const comment = await agent.call<{ id: string; author: Actor }>('POST', `/tasks/${card.id}/comments`, {
      body: 'First',
    })
    expect(comment.body.author).toEqual(builder)
    const path = `/comments/${comment.body.id}`
    const namesake = person.as((await tokenFor('builder')).token)
    expect((await namesake.call('PATCH', path, { body: 'Second' })).status).toBe(403)
    expect((await agent.call('PATCH', path, { body: 'Second' })).status).toBe(200)
  })

  test('a run that somebody else ends is told as ended by them', async () => {
    const card = await person.card(board)
    const run = await agent.call<{ id: string }>('POST', `/tasks/${card.id}/runs`, { worker: 'night shift' })
    await person.call('PATCH', `/runs/${run.body.id}`, { status: 'lost' })
    const feed = await person.call<{ items: { action: string; actor: Actor }[] }>(
      'GET',
      `/activity/boards/${board.id}?limit=2`,
    )
    expect(feed.body.items.map(({ action, actor }) => [action, actor.kind, actor.name])).toEqual([
      ['run.finished', 'member', 'Ann Example'],
      ['run.started', 'agent', 'night shift'],
    ])
  })
})

describe('a claim', () => {
  const claim = (by: BoardWorkspace, card: Card, body: object = {}) =>
    by.call<{ holder: Actor; epoch: number }>('POST', `/tasks/${card.id}/claim`, body)

  test('is held by the agent of the token', async () => {
    const card = await person.card(board)
    expect((await claim(agent, card)).body.holder).toEqual(builder)
    expect((await claim(person, card)).status).toBe(409)
  })

  test('is held by the worker it names, before the agent of the token', async () => {
    const card = await person.card(board)
    expect((await claim(agent, card, { worker: 'other' })).body.holder).toEqual({ ...builder, name: 'other' })
    expect((await claim(agent, card)).status).toBe(409)
    expect((await claim(agent, card, { worker: 'other' })).status).toBe(200)
  })

  test('is not shared by two tokens whose agents have one name', async () => {
    const card = await person.card(board)
    const namesake = person.as((await tokenFor('builder')).token)
    expect((await claim(agent, card)).status).toBe(200)
    expect((await claim(namesake, card)).status).toBe(409)
  })
})

test('the audit tells that an agent acted, for whom and with which token', async () => {
  const policy = await BoardWorkspace.open(server)
  const made = await get(
    `/api/v1/brands/${policy.owner.brand_id}/tokens`,
    json({ name: 'test', scopes: [], agent: 'settler' }, { cookie: policy.owner.cookie }),
  )
  const settler = (await made.json()) as Token
  // An agent ends a token that it has issued.
  const path = `/api/v1/brands/${policy.owner.brand_id}/tokens`
  const issued = await get(
    path,
    json({ name: 'helper', scopes: [] }, { authorization: `Bearer ${settler.token}` }),
  )
  const other = (await issued.json()) as Token
  const gone = await get(`${path}/${other.id}`, { method: 'DELETE', headers: bearer(settler.token) })
  expect(gone.status).toBe(200)
  const audit = await get(`/api/v1/brands/${policy.owner.brand_id}/audit`, {
    headers: { cookie: policy.owner.cookie },
  })
  expect(audit.status).toBe(200)
  const all = (await audit.json()) as { items: { action: string; to: object; actor: object }[] }
  const items = all.items.filter(({ action }) => action.startsWith('token.'))
  const person_actor = { kind: 'person', user_id: policy.owner.person_id, name: 'Ann Example' }
  expect(items.map(({ action, actor }) => [action, actor])).toEqual([
    ['token.issued', person_actor],
    ['token.issued', person_actor],
    ['token.issued', { ...person_actor, agent: 'settler' }],
    ['token.revoked', { ...person_actor, agent: 'settler' }],
  ])
  expect(items[0]?.to).not.toHaveProperty('agent')
  expect(items[1]?.to).toHaveProperty('agent', 'settler')
  expect(items[3]).toMatchObject({ credential: { kind: 'token', id: settler.id } })
})
