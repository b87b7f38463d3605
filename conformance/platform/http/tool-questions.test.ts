import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import { beforeAll, expect, test } from 'vitest'

// A question before a destructive call: no process remembers it, and its state is good for that call alone.
const server = useSharedServer('product')
const world = new World(server)
let token = ''
let board_id = ''
let other = { url: '' }

beforeAll(async () => {
  const member = await world.join(await world.newBrand(), 'admin')
  token = await world.newToken(member, ['brand:read', 'brand:admin'])
  other = await server.start('api')
})

const newBoard = async (): Promise<string> => {
  const key = `Q${String(performance.now()).replace('.', '').slice(-5)}`.replaceAll(/\d/g, (digit) =>
    String.fromCharCode(65 + Number(digit)),
  )
  const { id } = await world.made<{ id: string }>({ token }, 'POST', '/api/v1/board/boards', {
    name: 'Asked about',
    key,
  })
  return id
}

interface Result {
  readonly resultType: string
  readonly isError?: boolean
  readonly content?: { text: string }[]
  readonly inputRequests?: { confirm: { method: string; params: { message: string } } }
  readonly requestState?: string
}
interface Answer {
  readonly result?: Result
  readonly error?: { code: number }
}

interface How {
  readonly url?: string
  readonly by?: string
  readonly elicitation?: object | undefined
  readonly more?: object
  readonly args?: object
}

async function archive(id: string, how: How = {}): Promise<Answer> {
  const { url = server.api.url, by = token, elicitation = { form: {} }, more = {}, args = {} } = how
  const envelope = 'io.modelcontextprotocol'
  const _meta = {
    [`${envelope}/protocolVersion`]: '2026-07-28',
    [`${envelope}/clientCapabilities`]: elicitation === undefined ? {} : { elicitation },
    [`${envelope}/clientInfo`]: { name: 'test', version: '1' },
  }
  const params = { _meta, name: 'boards', arguments: { action: 'archive', board_id: id, ...args }, ...more }
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${by}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'boards',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  })
  return (await response.json()) as Answer
}

const isArchived = async (id: string): Promise<boolean> => {
  const [row] = await server.sql<{ is: boolean }>(
    'select archived_at is not null as is from boards.boards where id = $1',
    [id],
  )
  return row?.is ?? true
}
const yes = { confirm: { action: 'accept', content: { confirm: true } } }

test('nothing is done before the answer, which another process may get', async () => {
  board_id = await newBoard()
  const { result: asked } = await archive(board_id)
  expect(asked?.resultType).toBe('input_required')
  expect(asked?.inputRequests?.confirm.params.message).toContain(board_id)
  expect(await isArchived(board_id)).toBe(false)
  const more = { inputResponses: yes, requestState: asked?.requestState }
  const { result } = await archive(board_id, { url: other.url, more })
  expect(result).toMatchObject({ resultType: 'complete', isError: false })
  expect(await isArchived(board_id)).toBe(true)
})

test('no is no', async () => {
  const id = await newBoard()
  for (const confirm of [
    { action: 'decline' },
    { action: 'cancel' },
    { action: 'accept', content: { confirm: false } },
    { action: 'accept', content: {} },
  ]) {
    const { result: asked } = await archive(id)
    const more = { inputResponses: { confirm }, requestState: asked?.requestState }
    expect((await archive(id, { more })).result).toMatchObject({ isError: true })
  }
  expect(await isArchived(id)).toBe(false)
})

test('a yes to another question, of another credential, or to none at all is asked again', async () => {
  const [id, another] = [await newBoard(), await newBoard()]
  const { result: asked } = await archive(another)
  const brand = await world.newBrand()
  const stranger = await world.newToken(await world.join(brand, 'admin'), ['brand:read', 'brand:admin'])
  const states = [asked?.requestState, undefined, 'made-up', `${asked?.requestState}x`]
  for (const requestState of states) {
    const more = { inputResponses: yes, ...(requestState === undefined ? {} : { requestState }) }
    expect((await archive(id, { more })).result?.resultType).toBe('input_required')
  }
  const { result: own } = await archive(id)
  const more = { inputResponses: yes, requestState: own?.requestState }
  expect((await archive(id, { more, by: stranger })).result?.resultType).toBe('input_required')
  expect(await isArchived(id)).toBe(false)
})

test('a client that cannot ask is not kept waiting', async () => {
  const id = await newBoard()
  expect((await archive(id, { elicitation: { url: {} } })).result).toMatchObject({ isError: false })
  expect(await isArchived(id)).toBe(true)
})
