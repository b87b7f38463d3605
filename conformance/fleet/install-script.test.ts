import { spawnSync } from 'node:child_process'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { expect, test } from 'vitest'
import { DeskWorkspace } from './desk-workspace.ts'

const server = useServer('product', { LOG_LEVEL: 'debug' })

/** Of whatever the install command gets. */
async function expectScript(response: Response): Promise<string> {
  const body = await response.text()
  expect(spawnSync('bash', ['-n'], { input: body }).status).toBe(0)
  expect(body).not.toContain('<')
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(response.headers.get('referrer-policy')).toBe('no-referrer')
  expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  const { status, stdout, stderr } = spawnSync('bash', ['-s'], { input: body, encoding: 'utf8' })
  expect([status === 0, stdout]).toEqual([false, ''])
  return stderr
}

test('DESK-14: what the install command fetches is a script that fails, and its query is in no log', async () => {
  const at = await DeskWorkspace.open(server)
  const { pat, install_command } = await at.ordered()
  const [, url = ''] = /'(.+)'/.exec(install_command) ?? []
  const { pathname, search } = new URL(url)
  expect(pathname).toBe('/install/sidecar')
  const response = await server.get(`${pathname}${search}`)
  expect(response.status).toBe(404)
  expect(await expectScript(response)).toContain('not available on this installation')
  expect((await server.get(`${pathname}${search}`, { method: 'HEAD' })).status).toBe(404)
  const line = await waitFor(
    () => server.api.lines.find((each) => each.includes('"route":"fleet.getInstaller"')),
    10_000,
  )
  expect(line).toContain('"path":"/install/sidecar"')
  expect(server.api.lines.join('\n')).not.toContain(pat.slice(4))
})

test('DESK-14: a caller that asks too often gets a script too', async () => {
  const api = await server.start('api', { HTTP_RATE_LIMIT_PER_MINUTE: '3' })
  const ask = () => fetch(`${api.url}/install/sidecar?pat=x`)
  for (let count = 0; count < 3; count += 1) expect((await ask()).status).toBe(404)
  const refused = await ask()
  expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true])
  expect(await expectScript(refused)).toContain('Too many requests')
})

test('SYS-G6: routes outside of the API are known: another method is 405, and what is beside them 404', async () => {
  const post = await server.get('/install/sidecar?pat=x', { method: 'POST' })
  expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  for (const path of ['/install', '/install/', '/install/sidecar/', '/install/other'])
    expect([path, (await server.get(path)).status]).toEqual([path, 404])
  const document = (await (await server.get('/api/v1/openapi.json')).json()) as { paths: object }
  expect(Object.keys(document.paths)).not.toContain('/install/sidecar')
})
