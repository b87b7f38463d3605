import { execFileSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensurePackages, isRoot } from '@crewhall/services/debian-packages.ts'
import { isFull, scaled } from '@crewhall/testkit/rounds.ts'
import { changingPrograms, useStubbedShell } from '@crewhall/testkit/stubbed-shell.ts'
import { expect, test } from 'vitest'
import { readRequest } from './install-request.rules.ts'
import { type InstallFiles, renderScript } from './install-script.rules.ts'
import { readTemplate } from './installer-template.ts'

const signed = {
  version: '1.2.3',
  bytes: 1000,
  sha256: 'a'.repeat(64),
  signature: 'B'.repeat(86),
  key: 'C'.repeat(43),
  key_signature: 'D'.repeat(86),
}
const files: InstallFiles = {
  has_mesh: true,
  root_key: 'E'.repeat(43),
  bundle: { ...signed, floor: '1.0.0' },
  nodes: [{ ...signed, arch: 'x64', program_sha256: 'b'.repeat(64) }],
  npm: signed,
}
const request = {
  pat: `dsk_${'F'.repeat(43)}`,
  env_id: '3f8a6c1e-52d4-4b7a-9c0e-1a2b3c4d5e6f',
  url: 'https://crewhall.example.com',
  runtime: 'codex',
} as const
const script = renderScript(readTemplate(), request, files)
const shell = useStubbedShell(changingPrograms)

test('DESK-18: values stand in the script, each as one quoted word, and the same values give the same bytes', () => {
  expect(script).toContain(`\n  local pat='${request.pat}'\n  local env_id='${request.env_id}'\n`)
  expect(script).toContain("\n  local node_x64_version='1.2.3'\n")
  expect(script).toContain("\n  local node_arm64_version=''\n")
  expect(renderScript(readTemplate(), request, files)).toBe(script)
  expect(script).not.toContain('@values')
})

test('a value of another form ends the rendering, wherever it comes from', () => {
  const bad = "x'; touch canary; '"
  const wrong: [Partial<typeof request>, Partial<InstallFiles>][] = [
    [{ url: `https://${bad}` as typeof request.url }, {}],
    [{}, { root_key: bad }],
    [{}, { bundle: { ...files.bundle, floor: bad } }],
    [{}, { nodes: files.nodes.map((node) => ({ ...node, version: bad })) }],
    [{}, { npm: { ...signed, version: bad } }],
  ]
  for (const [asked, had] of wrong)
    expect(() => renderScript(readTemplate(), { ...request, ...asked }, { ...files, ...had })).toThrow(
      'another form',
    )
})

test('bash and shellcheck find no fault in it', async () => {
  execFileSync('bash', ['-n'], { input: script })
  if (isRoot) await ensurePackages(['shellcheck'], join(tmpdir(), 'shellcheck-packages.log'))
  const said = execFileSync('sh', ['-c', 'shellcheck --shell=bash - || true'], {
    input: script,
    encoding: 'utf8',
  })
  expect(said).toBe('')
}, 120_000)

const everyBytes = isFull ? 16 : 16 * 24
const randomCuts = scaled(200, 20)

test(`check 3, DESK-17: cut at every ${everyBytes}th byte and at ${randomCuts} random ones, it does nothing`, () => {
  const end = script.lastIndexOf('}')
  const cuts = [
    ...Array.from({ length: Math.ceil(end / everyBytes) }, (_, n) => n * everyBytes),
    ...Array.from({ length: randomCuts }, () => randomInt(end)),
    end - 'crewhall_install\n'.length,
    end - 1,
    end,
  ]
  for (const cut of cuts) {
    const { stdout, effects } = shell.run(script.slice(0, cut))
    expect([cut, stdout, effects]).toEqual([cut, '', []])
  }
  // Whole it does: this can see effects. Without root it says so and ends.
  const { code, effects } = shell.run(script)
  expect([code, effects.length > 0]).toEqual(isRoot ? [3, true] : [6, false])
  console.log(`${cuts.length} cuts, 0 effects; whole, ${effects.length}`)
}, 120_000)

test('the token is in no argument of a program', () => {
  const { effects } = shell.run(script)
  expect(effects.join('\n')).not.toContain(request.pat.slice(4))
  if (isRoot) expect(effects.join('\n')).toContain('curl -q -K -')
})

test.each([
  ['pat', `${request.pat}x`],
  ['env_id', request.env_id.toUpperCase()],
  ['url', 'https://crewhall.example.com.evil.example'],
  ['url', 'http://crewhall.example.com'],
  ['runtime', 'bash'],
])('a command with another %s gets no installer', (name, value) => {
  const query = new URLSearchParams({ ...request, [name]: value })
  expect(readRequest(query, ['https://crewhall.example.com/'])).toHaveProperty('refused')
})

test('a value that is given twice counts for none', () => {
  const query = new URLSearchParams(request)
  expect(readRequest(query, ['https://crewhall.example.com/'])).toEqual(request)
  query.append('runtime', 'codex')
  expect(readRequest(query, ['https://crewhall.example.com/'])).toHaveProperty('refused')
})
