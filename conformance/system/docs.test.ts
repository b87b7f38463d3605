import { readFileSync } from 'node:fs'
import { Info } from '@crewhall/contracts/system/system.ts'
import { root } from '@crewhall/testkit/server-process.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { expect, test } from 'vitest'

const server = useSharedServer('product')

const openPage = async () => {
  const { docs_url } = Info.parse(await (await server.get('/api/v1/system/info')).json())
  const response = await server.get(docs_url, { redirect: 'error' })
  return { response, url: new URL(docs_url, server.api.url), html: await response.text() }
}
const openApiFile = (): unknown => JSON.parse(readFileSync(`${root}/openapi.json`, 'utf8'))

test('SYS-13 docs_url is an HTML page of the running service', async () => {
  const { response, html } = await openPage()
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toMatch(/^text\/html/)
  expect(html).toMatch(/<!doctype html>/i)
})

test('SYS-13 every script of the page is JavaScript from the same origin', async () => {
  const { html, url } = await openPage()
  const scripts = [...html.matchAll(/<script[^>]*\ssrc="([^"]+)"/g)].map(([, src = '']) => new URL(src, url))
  expect(scripts.length).toBeGreaterThan(0)
  for (const script of scripts) {
    expect(script.origin).toBe(url.origin)
    const response = await fetch(script)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toMatch(/javascript/)
    expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(100_000)
  }
})

test('SYS-13 the page forbids scripts, styles and calls of other hosts', async () => {
  const policy = (await openPage()).response.headers.get('content-security-policy') ?? ''
  expect(policy).toContain(`default-src 'self'`)
  expect(policy).not.toMatch(/https?:|\*|unsafe-eval/)
  expect(/script-src ([^;]+)/.exec(policy)?.[1]).not.toContain('unsafe-inline')
})

test('SYS-13 SYS-18 the page reads the document that the repository holds', async () => {
  const { html, url } = await openPage()
  const named = /"url":\s*"(\/api\/v1\/[^"]+)"/.exec(html)?.[1]
  expect(named).toBe('/api/v1/openapi.json')
  const response = await fetch(new URL(named ?? '', url))
  expect(response.headers.get('content-type')).toMatch(/^application\/json/)
  expect(await response.json()).toEqual(openApiFile())
})

test('SYS-18 documented paths and paths the service emits start at /api/v1 or /dashboard', async () => {
  const { paths, servers } = openApiFile() as { paths: object; servers: unknown }
  expect(servers).toEqual([{ url: '/' }])
  const redirect = await server.get('/api/v1/docs', { redirect: 'manual' })
  const { docs_url } = Info.parse(await (await server.get('/api/v1/system/info')).json())
  const emitted = [...Object.keys(paths), docs_url, redirect.headers.get('location')]
  expect(emitted.length).toBeGreaterThan(3)
  for (const path of emitted) expect(path).toMatch(/^\/(api\/v1|dashboard)\//)
})

test('SYS-G7 what is delivered to callers stands beside the fixed interface: one stream, and webhooks of an own family', () => {
  const document = openApiFile() as { paths: Record<string, object> }
  const delivering = Object.entries(document.paths).filter(
    ([path, operations]) =>
      /webhook|stream|subscribe|subscriptions|notification/i.test(path) ||
      JSON.stringify(operations).includes('text/event-stream'),
  )
  const families = new Set(delivering.map(([path]) => path.split('/')[3]))
  expect([...families].sort()).toEqual(['events', 'webhooks'])
  expect(delivering.map(([path]) => path).filter((path) => path.includes('/events'))).toEqual([
    '/api/v1/events/stream',
  ])
  expect(document).not.toHaveProperty('webhooks')
  expect(JSON.stringify(document)).not.toContain('"callbacks"')
})
