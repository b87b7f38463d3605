import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { keyringOf } from './keyring.ts'

const folder = mkdtempSync(join(tmpdir(), 'keyring-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What each program does with its arguments and input, as far as it is used; arguments are written down. */
function standIn(name: string, script: string): string {
  const file = join(folder, name)
  writeFileSync(file, `#!/bin/bash\ncd '${folder}'\necho "$@" >> '${name}.args'\n${script}`, { mode: 0o755 })
  return file
}

const security = standIn(
  'security',
  `case $1 in
  -i) read -r verb u s service a account x hex; printf %s "$hex" > "mac-$account";;
  find-generic-password) printf %b "$(sed 's/../\\\\x&/g' "mac-$5")"; echo;;
  delete-generic-password) rm "mac-$5";;
esac`,
)
const secretTool = standIn(
  'secret-tool',
  `case $1 in store) cat > "linux-$6";; lookup) cat "linux-$5";; clear) rm "linux-$5";; esac`,
)

test.each([
  ['darwin', security],
  ['linux', secretTool],
] as const)(
  'on %s a token is kept, read and forgotten, and never is an argument',
  async (platform, program) => {
    const ring = keyringOf(platform, program)
    const token = 'ch_"quoted" \'and\' $more'
    expect(await ring?.keep('a', token)).toBe(true)
    expect(await ring?.read('a')).toBe(token)
    await ring?.forget('a')
    expect(await ring?.read('a')).toBe(undefined)
    const seen = readFileSync(`${program}.args`, 'utf8')
    for (const form of [token, 'quoted', Buffer.from(token).toString('hex')]) expect(seen).not.toContain(form)
  },
)

test.each(['darwin', 'linux'] as const)(
  'on %s without the program, or with one that fails, nothing is kept',
  async (platform) => {
    expect(await keyringOf(platform, join(folder, 'none'))?.keep('a', 'token')).toBe(false)
    expect(await keyringOf(platform, '/bin/false')?.keep('a', 'token')).toBe(false)
    expect(await keyringOf(platform, '/bin/false')?.read('a')).toBe(undefined)
  },
)

test('elsewhere there is no keyring', () => {
  expect(keyringOf('freebsd')).toBe(undefined)
})
