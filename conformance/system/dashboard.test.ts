import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { sendRaw } from '@crewhall/testkit/raw-http.ts'
import type { ServerProcess } from '@crewhall/testkit/server-process.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const server = useSharedServer('product')
const outside = mkdtempSync(join(tmpdir(), 'dashboard-'))
const folder = join(outside, 'dist')
const page = '<!doctype html><title>Built</title>'
const script = `console.log('${'long '.repeat(200)}')`
const notFound = JSON.stringify({ detail: 'Not found' })
let api: ServerProcess
const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(`${api.url}${path}`, { headers: { 'accept-encoding': 'identity', ...headers }, method })

beforeAll(async () => {
  mkdirSync(join(folder, 'assets'), { recursive: true })
  writeFileSync(join(folder, 'index.html'), page)
  writeFileSync(join(folder, 'theme.js'), 'let theme')
  writeFileSync(join(folder, '.sources'), 'secret of the build')
  writeFileSync(join(folder, 'assets/app-0a1B_c-d.js'), script)
  writeFileSync(join(folder, 'assets/app-0a1B_c-d.js.br'), brotliCompressSync(script))
  writeFileSync(join(folder, 'assets/app-0a1B_c-d.js.gz'), gzipSync(script))
  writeFileSync(join(outside, 'beside.txt'), 'not ours to serve')
  api = await server.start('api', { DASHBOARD_FOLDER: folder })
})
afterAll(() => rmSync(outside, { recursive: true }))

describe('SYS-18: a built dashboard', () => {
  test.each([
    '/dashboard',
    '/dashboard/',
    '/dashboard/boards/DSP?view=table',
    '/dashboard/profiles/claude.hard',
  ])('is the page at %s', async (path) => {
    const response = await get(path)
    expect([response.status, await response.text()]).toEqual([200, page])
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('cache-control')).toBe('no-cache')
  })

  test('has a page that runs no script but its own, and stands in no frame', async () => {
    const policy = (await get('/dashboard/')).headers.get('content-security-policy') ?? ''
    expect(policy).toContain(`default-src 'none'`)
    expect(policy).toContain(`frame-ancestors 'none'`)
    expect(policy).not.toMatch(/https?:|\*|unsafe-eval/)
    expect(/script-src ([^;]+)/.exec(policy)?.[1]).toBe(`'self'`)
  })

  test('keeps hashed files for a year and asks again for all others', async () => {
    const hashed = await get('/dashboard/assets/app-0a1B_c-d.js')
    expect([hashed.status, await hashed.text()]).toEqual([200, script])
    expect(hashed.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect(hashed.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    const named = await get('/dashboard/theme.js')
    expect([named.status, named.headers.get('cache-control')]).toEqual([200, 'no-cache'])
    const etag = named.headers.get('etag') ?? ''
    const again = await get('/dashboard/theme.js', { 'if-none-match': `"other", ${etag}` })
    expect([again.status, await again.text()]).toEqual([304, ''])
    expect((await get('/dashboard/theme.js', { 'if-none-match': '"other"' })).status).toBe(200)
  })

  test.each([
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
    ['identity', null],
    ['br;q=0.0', null],
  ])('is sent to a browser that accepts %s as %s', async (accepted, encoding) => {
    const response = await get('/dashboard/assets/app-0a1B_c-d.js', { 'accept-encoding': accepted })
    expect([response.headers.get('content-encoding'), await response.text()]).toEqual([encoding, script])
    expect(response.headers.get('vary')).toBe('accept-encoding')
  })

  test.each([
    '/dashboard/assets/gone-0a1b2c3d.js',
    '/dashboard/assets/gone',
    '/dashboard/missing.css',
    '/dashboard/index.html',
    '/dashboard/assets/app-0a1B_c-d.js.map',
  ])('does not send the page in place of the file %s', async (path) => {
    const response = await get(path)
    expect([response.status, await response.text()]).toEqual([404, notFound])
  })

  test.each([
    '/',
    '/dashboards',
    '/dashboardx/boards',
    '/assets/app-0a1B_c-d.js',
    '/theme.js',
    '/index.html',
  ])('VER-01: is nowhere else, not at %s', async (path) => {
    const response = await get(path)
    expect([response.status, await response.text()]).toEqual([404, notFound])
  })

  test('takes no other method', async () => {
    const response = await get('/dashboard/boards', {}, 'POST')
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    const head = await get('/dashboard/boards', {}, 'HEAD')
    expect([head.status, await head.text()]).toEqual([200, ''])
  })

  test.each([
    '/dashboard/../beside.txt',
    '/dashboard/%2e%2e/beside.txt',
    '/dashboard/..%2fbeside.txt',
    '/dashboard/assets/..%2f..%2f..%2fbeside.txt',
    '/dashboard//etc/passwd.txt',
    '/dashboard/.sources',
    '/dashboard/%00theme.js',
  ])('has no way to a file outside of it: %s', async (path) => {
    const { status, body } = await sendRaw(api.url, [`GET ${path} HTTP/1.1`, 'Host: x', 'Connection: close'])
    expect([200, 404]).toContain(status)
    expect([page, notFound]).toContain(body)
  })
})

test('a server without a built dashboard says so', async () => {
  const bare = await server.start('api', { DASHBOARD_FOLDER: join(folder, 'none') })
  for (const path of ['/dashboard', '/dashboard/boards', '/dashboard/assets/app-0a1B_c-d.js']) {
    const response = await fetch(`${bare.url}${path}`)
    expect([response.status, await response.text()]).toEqual([404, expect.stringContaining('npm run build')])
  }
})
