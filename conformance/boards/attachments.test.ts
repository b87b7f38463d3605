import { createHash, randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { formOf } from '@crewhall/testkit/people.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { bearer, headersOf } from '@crewhall/testkit/world/call.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { useGuests } from '../workspaces/guests/guests-world.ts'
import { type Board, BoardWorkspace, type Card } from './board-workspace.ts'
import { useSharedBoards } from './shared-boards.ts'

const server = useSharedServer('product')
const { sharedBoard } = useSharedBoards(useGuests(server))
let workspace: BoardWorkspace
let other: BoardWorkspace
let board: Board
let card: Card
beforeAll(async () => {
  workspace = await BoardWorkspace.open(server)
  other = await BoardWorkspace.open(server)
  board = await workspace.board()
  card = await workspace.card(board)
})

interface File {
  id: string
  task_id: string
  name: string
  content_type: string
  size: number
  sha256: string
  preview: string | null
  created_by: { kind: string; id?: string; name: string }
}
const most = 26_214_400
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const path = (to: Card) => `/tasks/${to.id}/attachments`
const send = (
  bytes: Uint8Array,
  { to = card, by = workspace, name = 'a.bin', type = '', query = '', headers = {} } = {},
) => by.call<File>('POST', path(to) + query, formOf('file', bytes, name, type), headers)
const list = async (of = card) => (await workspace.call<{ items: File[] }>('GET', path(of))).body.items
const download = (file: File, headers: Record<string, string> = bearer(workspace.token)) =>
  server.get(`/api/v1/board/attachments/${file.id}/content`, { headers })
const missing = { status: 404, body: { detail: 'Attachment not found' } }

/** Without objects and bytes: a card that is full. */
const fill = (of: Card, files: number) =>
  server.sql(
    `insert into boards.attachments (brand_id, card_id, object_key, name, content_type, size, sha256, created_by)
     select brand_id, id, id || '-' || n, 'n', 'text/plain', 1, repeat('0', 64), created_by
     from boards.cards, generate_series(1, $2::int) n where id = $1`,
    [of.id, files],
  )

const page = '<!doctype html><script>fetch("/api/v1/me")</script>'
const drawing = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(1)</script></svg>'
const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
const hostile: readonly (readonly [
  what: string,
  bytes: Buffer,
  name: string,
  claimed: string,
  type: string,
])[] = [
  ['a page', Buffer.from(page), 'index.html', 'text/html', 'text/plain'],
  ['a drawing', Buffer.from(drawing), 'logo.svg', 'image/svg+xml', 'text/plain'],
  ['a page that says it is a picture', Buffer.from(page), 'cat.png', 'image/png', 'text/plain'],
  ['a picture that is a page', Buffer.from(`GIF89a/*${page}*/=1;`), 'cat.html', 'text/html', 'image/gif'],
  [
    'a picture with a page behind it',
    Buffer.concat([png, Buffer.from(page)]),
    'a.html',
    'text/html',
    'image/png',
  ],
  [
    'a document with a script',
    Buffer.from('%PDF-1.7\n/OpenAction << /S /JavaScript /JS (app.alert(1)) >>'),
    'a.pdf',
    'text/html',
    'application/pdf',
  ],
  ['an archive', Buffer.from(`504b0304${'00'.repeat(40)}`, 'hex'), 'a.zip', 'text/html', 'application/zip'],
  ['a page in an archive', gzipSync(page), 'a.html.gz', 'text/html', 'application/gzip'],
  ['a script', Buffer.from('self.onfetch = () => {}'), 'sw.js', 'text/javascript', 'text/plain'],
  ['a style sheet', Buffer.from('body { background: url(//evil.test) }'), 'a.css', 'text/css', 'text/plain'],
  [
    'a page with a mark in front',
    Buffer.from(`\ufeff${page}`),
    'a.xhtml',
    'application/xhtml+xml',
    'text/plain',
  ],
  [
    'a page in UTF-16',
    Buffer.from(`\ufeff${page}`, 'utf16le'),
    'a.htm',
    'text/html; charset=utf-16',
    'application/octet-stream',
  ],
  ['a page with a NUL', Buffer.from(`\0${page}`), 'a.html', 'text/html', 'application/octet-stream'],
  ['nothing', Buffer.alloc(0), 'empty.html', 'text/html', 'text/plain'],
]

describe('what browsers could run is inert', () => {
  test.each(hostile)('%s', async (_, bytes, name, claimed, type) => {
    const to = await workspace.card(board)
    const { status, body } = await send(bytes, { to, name, type: claimed })
    expect([status, body.content_type, body.size, body.sha256]).toEqual([
      201,
      type,
      bytes.length,
      sha256(bytes),
    ])
    const response = await download(body)
    const { headers } = response
    expect([response.status, headers.get('content-type')?.split(';', 1)[0]]).toEqual([200, type])
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename="/)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox; frame-ancestors 'none'")
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
    expect(headers.get('cache-control')).toBe('private, no-cache')
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true)
    const told = await server.get(`/api/v1/board/attachments/${body.id}`, {
      headers: bearer(workspace.token),
    })
    expect(told.headers.get('content-type')).toMatch(/^application\/json/)
    const preview = type === 'text/plain' ? bytes.toString().replace('\ufeff', '') : null
    expect(((await told.json()) as File).preview).toBe(preview)
  })

  test.each([
    ['a\r\nContent-Type: text/html\r\n\r\n<b>.txt', /^[^\r\n<>]+\.txt$/],
    ['../../../etc/passwd', /^passwd$/],
    ['invoice\u202efdp.exe', /^invoicefdp\.exe$/],
    ['"><script>alert(1)</script>', /^[^"<>/]+$/],
    [`${'x'.repeat(5000)}.pdf`, /^x+…x+\.pdf$/],
  ])('the name %#', async (name, kept) => {
    const { status, body } = await send(Buffer.from('x'), { to: await workspace.card(board), name })
    expect(status).toBe(201)
    expect(body.name).toMatch(kept)
    expect((await download(body)).headers.get('content-disposition')).toContain(
      `''${encodeURIComponent(body.name).slice(0, 5)}`,
    )
  })
})

/** In one piece: a form is taken apart and put together again in small ones. */
async function sendLarge(bytes: Buffer, to: Card) {
  const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n\r\n'
  const response = await server.get(`/api/v1/board${path(to)}`, {
    method: 'POST',
    headers: { ...bearer(workspace.token), 'content-type': 'multipart/form-data; boundary=b' },
    body: Buffer.concat([Buffer.from(head), bytes, Buffer.from('\r\n--b--\r\n')]),
  })
  return { status: response.status, body: (await response.json()) as File }
}

test('25 MB arrive whole and come back whole, one byte more is refused and leaves nothing', async () => {
  const to = await workspace.card(board)
  for (const size of [most - 1, most]) {
    const bytes = Buffer.alloc(size, 'crewhall ')
    const { status, body } = await sendLarge(bytes, to)
    expect([status, body.size, body.sha256, body.preview?.length]).toEqual([201, size, sha256(bytes), 2048])
    if (size < most) continue
    const response = await download(body)
    expect(response.headers.get('content-length')).toBe(String(size))
    expect(sha256(Buffer.from(await response.arrayBuffer()))).toBe(body.sha256)
    const again = await download(body, { ...bearer(workspace.token), 'if-none-match': `"${body.sha256}"` })
    expect(again.status).toBe(304)
  }
  expect(await sendLarge(Buffer.alloc(most + 1), to)).toMatchObject({
    status: 400,
    body: { detail: 'File too large (max 25MB)' },
  })
  expect(await list(to)).toHaveLength(2)
  expect(await workspace.read(to)).toMatchObject({ attachments_count: 2, version: to.version })
})

test('a file is attached once for a key, and not at all in a dry run', async () => {
  const to = await workspace.card(board)
  const headers = { 'idempotency-key': randomUUID() }
  const dry = await send(Buffer.from('one'), { to, query: '?dry_run=true' })
  expect([dry.status, dry.body.size]).toEqual([201, 3])
  expect(await list(to)).toEqual([])
  const first = await send(Buffer.from('one'), { to, headers })
  expect(await send(Buffer.from('one'), { to, headers })).toMatchObject({ status: 201, body: first.body })
  expect((await send(Buffer.from('two'), { to, headers })).status).toBe(422)
  expect((await send(Buffer.from('one'), { to, headers, name: 'b.bin' })).status).toBe(422)
  const { preview: _, ...listed } = first.body
  expect(await list(to)).toEqual([listed])
})

test('the feed says what was added and removed, and the card counts', async () => {
  const to = await workspace.card(board)
  const { body: file } = await send(Buffer.from('x'), { to, name: 'notes.txt' })
  expect(file.created_by).toMatchObject({ kind: 'member', id: String(workspace.owner.person_id) })
  const newest = async () =>
    (await workspace.call<{ items: unknown[] }>('GET', `/activity/boards/${board.id}?limit=1`)).body.items[0]
  const data = { attachment_id: file.id, name: 'notes.txt', content_type: 'text/plain', size: 1 }
  expect(await newest()).toMatchObject({ action: 'attachment.added', task_id: to.id, data })
  expect(await workspace.call('DELETE', `/attachments/${file.id}`)).toMatchObject({ body: { removed: true } })
  expect(await newest()).toMatchObject({ action: 'attachment.removed', data })
  expect(await workspace.call('DELETE', `/attachments/${file.id}`)).toMatchObject(missing)
  expect((await workspace.read(to)).attachments_count).toBe(0)
})

test('a member removes what they added themselves, another workspace sees nothing', async () => {
  const member = workspace.as((await workspace.newMember()).token)
  const { body: theirs } = await send(Buffer.from('x'), { by: member })
  const { body: own } = await send(Buffer.from('x'))
  expect(await member.call('DELETE', `/attachments/${own.id}`)).toMatchObject({ status: 403 })
  expect(await member.call('DELETE', `/attachments/${theirs.id}`)).toMatchObject({ status: 200 })
  expect(await other.call('GET', `/attachments/${own.id}`)).toMatchObject(missing)
  expect(await other.call('DELETE', `/attachments/${own.id}`)).toMatchObject(missing)
  expect((await download(own, bearer(other.token))).status).toBe(404)
  expect((await send(Buffer.from('x'), { by: other })).status).toBe(404)
  expect((await download(own, {})).status).toBe(401)
})

test('the limits of a card hold for two who come at once, and an archived card takes nothing', async () => {
  const full = await workspace.card(board)
  await fill(full, 49)
  const answers = await Promise.all(['a', 'b', 'c'].map((text) => send(Buffer.from(text), { to: full })))
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409])
  expect(await workspace.read(full)).toMatchObject({ attachments_count: 50 })
  const gone = await workspace.card(board)
  await workspace.call('POST', `/tasks/${gone.id}/archive`)
  expect((await send(Buffer.from('x'), { to: gone })).status).toBe(409)
})

test('a workspace has a limit, to the byte, whoever comes at once', async () => {
  const to = await other.card(await other.board())
  await fill(to, 1)
  const limit = 10_240 * 1_048_576
  await server.sql('update boards.attachments set size = $2 where card_id = $1', [to.id, limit - 2])
  await server.sql('update boards.attachment_sums set bytes = $2 where brand_id = $1', [
    other.owner.brand_id,
    limit - 2,
  ])
  const both = await Promise.all([1, 2].map(() => send(Buffer.from('xy'), { to, by: other })))
  expect(both.map(({ status }) => status).sort()).toEqual([201, 409])
  expect((await send(Buffer.alloc(0), { to, by: other })).status).toBe(201)
})

test('guests see and download, editors add, and nobody from another board', async () => {
  const { brand, card, session, tasks, path } = await sharedBoard('viewer')
  const editor = await sharedBoard('editor')
  const call = (by: typeof editor, method: string, to: string, body?: FormData) =>
    server.get(to, { method, headers: headersOf(by.session), ...(body ? { body } : {}) })
  const form = () => formOf('file', Buffer.from(page), 'a.html', 'text/html')
  const sent = await server.get(`/api/v1/board/tasks/${card.id}/attachments`, {
    method: 'POST',
    headers: headersOf(brand.admin),
    body: form(),
  })
  const { id } = (await sent.json()) as File
  expect(sent.status).toBe(201)
  const viewer = { ...editor, session }
  const shown = (await (await call(viewer, 'GET', `${tasks}/${card.id}/attachments`)).json()) as {
    items: File[]
  }
  expect(shown.items.map(({ created_by, ...file }) => [Object.keys(created_by), file.id])).toEqual([
    [['kind', 'name'], id],
  ])
  const got = await call(viewer, 'GET', `${path}/attachments/${id}/content`)
  expect([got.status, got.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
  expect((await call(viewer, 'POST', `${tasks}/${card.id}/attachments`, form())).status).toBe(403)
  const added = await call(editor, 'POST', `${editor.tasks}/${editor.card.id}/attachments`, form())
  expect([added.status, ((await added.json()) as File).created_by]).toEqual([
    201,
    { kind: 'guest', name: 'Gus Guest' },
  ])
  // By the board that the guest can open, and by the one the file is on.
  expect((await call(editor, 'GET', `${editor.path}/attachments/${id}/content`)).status).toBe(404)
  expect((await call(editor, 'GET', `${path}/attachments/${id}/content`)).status).toBe(404)
  expect((await call(editor, 'POST', `${tasks}/${card.id}/attachments`, form())).status).toBe(404)
  expect((await call(viewer, 'DELETE', `/api/v1/board/attachments/${id}`)).status).not.toBe(200)
})
