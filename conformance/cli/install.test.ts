import { execFile } from 'node:child_process'
import { copyFileSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { isRoot } from '@crewhall/services/debian-packages.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { builtCli } from './built-cli.ts'

const run = promisify(execFile)
const root = resolve(import.meta.dirname, '../..')
const place = mkdtempSync(join(tmpdir(), 'cli-install-'))
afterAll(() => rmSync(place, { recursive: true, force: true }))
let built: string
beforeAll(async () => {
  built = await builtCli()
})

const bin = join(place, 'bin')
const env = {
  PATH: `${bin}:${join(place, 'own/bin')}:/usr/bin:/bin:/usr/sbin:/sbin`,
  HOME: place,
  npm_config_cache: join(place, 'cache'),
}

/** Runs a script as on a host of its own: Node is there, the repository is not, and there is no network. */
async function elsewhere(script: string): Promise<string> {
  const without = [
    `mount --bind '${process.execPath}' '${join(bin, 'node')}'`,
    `mount -t tmpfs none '${root}'`,
    `test -z "$(ls -A '${root}')"`,
  ]
  const own = ['--mount', '--net', '--propagation', 'private', ...(isRoot ? [] : ['--map-root-user'])]
  const words = [...own, 'sh', '-ec', [...without, script].join('\n')]
  return (await run('unshare', words, { cwd: place, env })).stdout
}

test('the program is one plain file of at most 900 kB, and its archive installs it on a host without the repository', async () => {
  expect(readFileSync(join(built, 'crewhall.mjs')).length).toBeLessThanOrEqual(900_000)
  const [archive = ''] = globSync('crewhall-*.tgz', { cwd: built })
  copyFileSync(join(built, archive), join(place, archive))
  mkdirSync(bin)
  writeFileSync(join(bin, 'node'), '')
  const out = await elsewhere(`npm install --silent --global --prefix own ./${archive}
crewhall --version
crewhall call --jq '.methods | length'
test -f own/share/man/man1/crewhall.1`)
  const [version, methods] = out.trimEnd().split('\n')
  expect(version).toBe(archive.replace(/^crewhall-|\.tgz$/g, ''))
  expect(Number(methods)).toBeGreaterThan(300)
})

test('without jq beside it, all but --jq works, and --jq says what is missing', async () => {
  const alone = join(place, 'alone')
  mkdirSync(alone)
  copyFileSync(join(built, 'crewhall.mjs'), join(alone, 'crewhall.mjs'))
  const list = await run(process.execPath, ['crewhall.mjs', 'call'], { cwd: alone, env })
  expect(list.stdout).toContain('boards.getCard')
  await expect(
    run(process.execPath, ['crewhall.mjs', 'call', '--jq', '.'], { cwd: alone, env }),
  ).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('crewhall-jq.cjs is not beside') })
})
