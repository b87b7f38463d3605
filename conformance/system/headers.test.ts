import { sendRaw } from '@crewhall/testkit/raw-http.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { expect, test } from 'vitest'

const server = useSharedServer('product')

const info = '/api/v1/system/info'
const pages = [info, '/api/v1/nothing', '/api/v1/me', '/api/v1/docs/', '/api/v1/docs/?a=b']
const noPath = '/%zz'
const asked = [...pages, noPath]

test.each(pages)(
  'S16 %s tells nobody where its reader came from, and demands HTTPS only where it has it',
  async (path) => {
    const { headers } = await server.get(path)
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    const isHttps = server.api.url.startsWith('https:')
    expect(headers.get('strict-transport-security')).toBe(isHttps ? 'max-age=31536000' : null)
  },
)

test('S16 the same for what is no path', async () => {
  const { headers } = await sendRaw(server.api.url, [
    `GET ${noPath} HTTP/1.1`,
    'host: a',
    'connection: close',
  ])
  expect(headers['referrer-policy']).toBe('no-referrer')
  expect(headers['strict-transport-security']).toBeUndefined()
})

test('S16 with an https PUBLIC_URL every answer demands HTTPS, also one to what is no HTTP', async () => {
  const api = await server.start('api', { PUBLIC_URL: 'https://crewhall.test' })
  for (const path of asked) {
    const { headers } = await fetch(`${api.url}${path}`)
    expect([path, headers.get('strict-transport-security')]).toEqual([path, 'max-age=31536000'])
  }
  const broken = await sendRaw(api.url, ['NONSENSE'])
  expect([broken.status, broken.headers['strict-transport-security']]).toEqual([400, 'max-age=31536000'])
  expect(broken.headers['referrer-policy']).toBe('no-referrer')
})

test('S16 the page of the documentation keeps its policy with a query string', async () => {
  const bare = await server.get('/api/v1/docs/')
  const policy = bare.headers.get('content-security-policy')
  expect(policy).toContain(`default-src 'self'`)
  expect((await server.get('/api/v1/docs/?x=1')).headers.get('content-security-policy')).toBe(policy)
})
