import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { gunzipSync } from 'node:zlib'
import { getInstallFile } from '@crewhall/contracts/fleet/desk-agent.ts'
import type { NodeProgram, NpmPackage, SidecarBundle } from '@crewhall/contracts/fleet/desk-protocol.ts'
import { hostileTexts } from '@crewhall/testkit/hostile/shell-texts.ts'
import type { ServerProcess } from '@crewhall/testkit/server-process.ts'
import { changingPrograms, useStubbedShell } from '@crewhall/testkit/stubbed-shell.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { DeskWorkspace, nowhere } from './desk-workspace.ts'
import { useSignedBundles } from './signed-bundles.ts'

const publicUrl = 'http://crewhall.example.com'
const bundles = useSignedBundles()
const server = useServer('product', { LOG_LEVEL: 'debug', PUBLIC_URL: publicUrl })
const shell = useStubbedShell(changingPrograms)
let api: ServerProcess
let at: DeskWorkspace
let bundle: SidecarBundle
let node: NodeProgram
let npm: NpmPackage

beforeAll(async () => {
  const env = { SIDECAR_BUNDLE_DIR: bundles.folder, SIDECAR_ROOT_KEY: bundles.root_key }
  api = await server.start('api', env)
  at = await DeskWorkspace.open(server)
})
beforeEach(async () => {
  bundle = await bundles.publish('console.log("7.7.7")')
  node = await bundles.publishNode('x64')
  npm = await bundles.publishNpm()
})

/** Of a command, as the machine asks for it. */
const askedBy = (command: string): string => {
  const { pathname, search } = new URL(/'(.+)'/.exec(command)?.[1] ?? '')
  return `${pathname}${search}`
}
const fetchScript = (path: string) => fetch(`${api.url}${path}`)

/** Of whatever the install command gets. */
async function expectScript(response: Response): Promise<string> {
  const body = await response.text()
  expect(spawnSync('bash', ['-n'], { input: body }).status).toBe(0)
  expect(body).not.toMatch(/<html|<!doctype/i)
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(response.headers.get('referrer-policy')).toBe('no-referrer')
  expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  return body
}

/** One that says why there is no installer, and does nothing. */
async function expectRefusal(response: Response): Promise<{ code: number | null; said: string }> {
  const { code, stdout, stderr, effects } = shell.run(await expectScript(response))
  expect([code === 0, stdout, effects]).toEqual([false, '', []])
  return { code, said: stderr }
}

test('DESK-14, DESK-18: the install command fetches a script that holds its values, and its query is in no log', async () => {
  const { pat, install_command, workstation_id: id } = await at.ordered()
  const path = askedBy(install_command)
  const response = await fetchScript(path)
  expect(response.status).toBe(200)
  const script = await expectScript(response)
  const values = { pat, env_id: id, url: publicUrl, runtime: 'claude_code', root_key: bundles.root_key }
  for (const [name, value] of Object.entries(values))
    expect(script).toContain(`\n  local ${name}='${value}'\n`)
  expect(script).toContain(`\n  local sidecar_sha256='${bundle.sha256}'\n`)
  expect(script).toContain(`\n  local node_x64_program_sha256='${node.program_sha256}'\n`)
  // Nobody gets other bytes, whoever asks with whatever program.
  const again = await fetch(`${api.url}${path}`, { headers: { 'user-agent': 'curl/7.88.1' } })
  expect(await again.text()).toBe(script)
  const digest = await (await fetchScript(path.replace('?', '.sha256?'))).text()
  expect(digest).toBe(`${createHash('sha256').update(script).digest('hex')}  crewhall-install.sh\n`)
  const line = await waitFor(
    () => api.lines.find((each) => each.includes('"route":"fleet.getInstaller"')),
    10_000,
  )
  expect(line).toContain('"path":"/install/sidecar"')
  expect(api.lines.join('\n')).not.toContain(pat.slice(4))
})

test('DESK-G3: a wrong, rotated or foreign token gets a script that says so, ends with 5 and does nothing', async () => {
  const [first, other] = [await at.ordered(), await at.ordered()]
  const rotated = await at.call('POST', `/workstations/${first.workstation_id}/regenerate-pat`)
  expect(rotated.status).toBe(200)
  const path = askedBy(other.install_command)
  const wrong = [
    askedBy(first.install_command),
    path.replace(other.workstation_id, first.workstation_id),
    path.replace(other.workstation_id, nowhere),
    path.replace(other.pat, `dsk_${'A'.repeat(43)}`),
    path.replace(/pat=[^&]+&/, ''),
  ]
  for (const each of wrong) {
    const response = await fetchScript(each)
    expect(response.status).toBe(401)
    const { code, said } = await expectRefusal(response)
    expect([code, said.includes('regenerate-pat')]).toEqual([5, true])
  }
  expect((await fetchScript(path)).status).toBe(200)
})

test(`check 5: ${hostileTexts.length} injections in each of four parameters do nothing, and no other address is taken`, async () => {
  const { install_command } = await at.ordered()
  const { searchParams } = new URL(askedBy(install_command), publicUrl)
  let looked = 0
  for (const name of ['pat', 'env_id', 'url', 'runtime'])
    for (const text of hostileTexts)
      for (const value of [text, `${searchParams.get(name)}${text}`]) {
        const query = new URLSearchParams(searchParams)
        query.set(name, value)
        const response = await fetchScript(`/install/sidecar?${query}`)
        expect([name, text, response.status]).toEqual([name, text, expect.toSatisfy((s: number) => s >= 400)])
        await expectRefusal(response)
        looked += 1
      }
  console.log(`${looked} injections, 0 effects`)
}, 120_000)

test('check 4: outside of the signatures of the operator there is no installer, and the log says why', async () => {
  const path = askedBy((await at.ordered()).install_command)
  const refused = async () => {
    const response = await fetchScript(path)
    expect(response.status).toBe(404)
    expect((await expectRefusal(response)).said).toContain('not available on this installation')
  }
  await bundles.publish('console.log("7.7.8")', { is_foreign: true })
  await refused()
  await waitFor(() => api.lines.some((line) => line.includes('not signed under SIDECAR_ROOT_KEY')), 10_000)
  await bundles.publish('console.log("7.7.8")')
  const file = `${bundles.folder}/node-linux-x64.json`
  await writeFile(file, (await readFile(file, 'utf8')).replace(node.program_sha256, 'f'.repeat(64)))
  await refused()
  await bundles.publishNode('x64')
  const npmFile = `${bundles.folder}/npm.json`
  await writeFile(npmFile, (await readFile(npmFile, 'utf8')).replace(npm.sha256, 'f'.repeat(64)))
  await refused()
  // Machines join without it.
  await rm(npmFile)
  expect(await (await fetchScript(path)).text()).toContain("\n  local npm_sha256=''\n")
  const without = await fetch(`${server.api.url}${path}`)
  expect(without.status).toBe(404)
  await expectRefusal(without)
})

test('DESK-14, check 4: a caller that asks too often, and one that meets a bug, get a script too', async () => {
  const env = { SIDECAR_BUNDLE_DIR: bundles.folder, SIDECAR_ROOT_KEY: bundles.root_key }
  const limited = await server.start('api', { ...env, HTTP_RATE_LIMIT_PER_MINUTE: '3' })
  const ask = () => fetch(`${limited.url}/install/sidecar?pat=x`)
  for (let count = 0; count < 3; count += 1) expect((await ask()).status).toBe(400)
  const refused = await ask()
  expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true])
  expect((await expectRefusal(refused)).said).toContain('Too many requests')

  // An address that no script may hold, set by an operator.
  const odd = await server.start('api', { ...env, PUBLIC_URL: "http://crewhall.example.com/it's" })
  const { install_command } = await at.ordered()
  const { searchParams } = new URL(askedBy(install_command), publicUrl)
  searchParams.set('url', "http://crewhall.example.com/it's")
  const broken = await fetch(`${odd.url}/install/sidecar?${searchParams}`)
  expect(broken.status).toBe(500)
  expect((await expectRefusal(broken)).said).toContain('the request id is')
})

test('the installer gets its files from the service by their digests, with the token of its desk and no other', async () => {
  const { pat } = await at.ordered()
  const get = (sha256: string, token: string) =>
    fetch(`${api.url}${getInstallFile.path}?sha256=${sha256}`, {
      headers: { authorization: `Bearer ${token}` },
    })
  const digestOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
  for (const { sha256, bytes } of [bundle, node, npm]) {
    const response = await get(sha256, pat)
    const received = await response.bytes()
    expect([response.status, received.length, digestOf(received)]).toEqual([200, bytes, sha256])
    if (sha256 === node.sha256) expect(digestOf(gunzipSync(received))).toBe(node.program_sha256)
    expect((await get(sha256, `dsk_${'A'.repeat(43)}`)).status).toBe(401)
  }
  expect((await get('0'.repeat(64), pat)).status).toBe(404)
})

test('SYS-G6: routes outside of the API are known: another method is 405, and what is beside them 404', async () => {
  const post = await server.get('/install/sidecar?pat=x', { method: 'POST' })
  expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  expect((await server.get('/install/sidecar?pat=x', { method: 'HEAD' })).status).toBe(400)
  for (const path of ['/install', '/install/', '/install/sidecar/', '/install/other'])
    expect([path, (await server.get(path)).status]).toEqual([path, 404])
  const document = (await (await server.get('/api/v1/openapi.json')).json()) as { paths: object }
  expect(Object.keys(document.paths)).not.toContain('/install/sidecar')
})
