import { execFile } from 'node:child_process'
import { copyFileSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { builtCli } from './built-cli.ts'

const run = promisify(execFile)
const place = mkdtempSync(join(tmpdir(), 'cli-install-'))
afterAll(() => rmSync(place, { recursive: true, force: true }))
let built: string
beforeAll(async () => {
  built = await builtCli()
})

/** As on a machine of its own: no registry, no cache, no repository. */
const env = {
  PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
  HOME: place,
  npm_config_registry: 'http://127.0.0.1:9',
  npm_config_cache: join(place, 'cache'),
}

test('the program is one plain file of at most 900 kB, and the archive installs it with jq and its manual', async () => {
  expect(readFileSync(join(built, 'crewhall.mjs')).length).toBeLessThanOrEqual(900_000)
  const [archive = ''] = globSync('crewhall-*.tgz', { cwd: built })
  copyFileSync(join(built, archive), join(place, archive))
  await run('npm', ['install', '--global', '--prefix', join(place, 'own'), `./${archive}`], {
    cwd: place,
    env,
  })
  const crewhall = join(place, 'own/bin/crewhall')
  expect((await run(crewhall, ['--version'], { cwd: place, env })).stdout).toBe(
    `${archive.replace(/^crewhall-|\.tgz$/g, '')}\n`,
  )
  const counted = await run(crewhall, ['call', '--jq', '.methods | length'], { cwd: place, env })
  expect(Number(counted.stdout)).toBeGreaterThan(300)
  expect(existsSync(join(place, 'own/share/man/man1/crewhall.1'))).toBe(true)
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
