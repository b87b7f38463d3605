import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { attempt } from '@crewhall/services/commands.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

const shipped = join(import.meta.dirname, '../../../deploy/production')
/** Answers from files beside it. The drill of restores asks the real one. */
const stub = `#!/bin/sh
here=$(dirname "$0")
case "$*" in
  *info*) cat "$here/info" ;;
  *verify*) [ ! -e "$here/hang" ] || { rm "$here/hang"; exec sleep 600; }; echo "status: $(cat "$here/status")" ;;
  *--recurse*)
    [ ! -e "$here/no-listing" ] || exit 9
    cat "$here/segments"
    [ ! -e "$here/segments-later" ] || mv "$here/segments-later" "$here/segments" ;;
  *repo-ls*) [ ! -e "$here/no-ids" ] || exit 9; cat "$here/ids" ;;
esac
`
const segment = (n: number, line = 1) =>
  `${line}`.padStart(8, '0') + n.toString(16).toUpperCase().padStart(16, '0')
let folder = ''
const put = (name: string, text: string) => writeFileSync(join(folder, name), text)
const putSegments = (names: readonly string[], file = 'segments') =>
  put(file, names.map((name) => `${name.slice(0, 16)}/${name}-${'a'.repeat(40)}.zst\n`).join(''))

/** As pgBackRest 2.55 tells it. */
function putBackups(
  ...backups: { label: string; wal: [string, string]; at: number; error?: boolean }[]
): void {
  const told = backups.map(({ label, wal: [start, stop], at, error = false }) => ({
    archive: { start, stop },
    database: { id: 1, 'repo-key': 1 },
    error,
    label,
    lsn: { start: '0/2000028', stop: '0/2000120' },
    prior: null,
    timestamp: { start: at - 10, stop: at },
    type: 'full',
  }))
  const archive = { database: { id: 1, 'repo-key': 1 }, id: '17-1', max: segment(9), min: segment(1) }
  put('info', JSON.stringify([{ archive: [archive], backup: told, name: 'main', status: { code: 0 } }]))
}

const now = () => Math.floor(Date.now() / 1000)
const whole = [2, 3, 4, 5].map((n) => segment(n))
const older = { label: 'older', wal: [segment(2), segment(3)], at: 1_700_000_100 } as const
const newer = { label: 'newer', wal: [segment(4), segment(4)], at: 1_700_000_300 } as const

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crewhall-backup-checks-'))
  put('pgbackrest', stub)
  chmodSync(join(folder, 'pgbackrest'), 0o755)
  put('ids', 'archive.info\n17-1\n')
  put('status', 'ok\n')
  putSegments(whole)
  putBackups({ ...older, wal: [...older.wal] }, { ...newer, wal: [...newer.wal], at: now() })
})
afterEach(() => rmSync(folder, { recursive: true }))

const env = () => ({
  PATH: `${folder}:${process.env.PATH}`,
  TEXTFILE_DIRECTORY: folder,
  VERIFY_WAIT: '0',
})
const verify = () => attempt('sh', [join(shipped, 'pgbackrest/verify'), 'main'], { env: env() })

describe('verify', () => {
  test('passes what is whole', async () => {
    expect(await verify()).toEqual({ code: 0, output: expect.stringMatching(/^ok: last backup 0 hours old/) })
  })

  test.each([
    ['the WAL', 'no-listing', /^fault: the WAL of 17-1 cannot be listed$/m],
    ['the folders of the WAL', 'no-ids', /^fault: the WAL cannot be listed$/m],
  ])('fails where %s cannot be listed', async (_, file, fault) => {
    put(file, '')
    expect(await verify()).toEqual({ code: 1, output: expect.stringMatching(fault) })
  })

  test('an empty listing is not one without gaps', async () => {
    put('ids', 'archive.info\n')
    expect(await verify()).toEqual({ code: 1, output: expect.stringMatching(/no WAL of database 1/) })
    put('ids', '17-1\n')
    putSegments([])
    expect(await verify()).toEqual({ code: 1, output: expect.stringMatching(/which backup older needs/) })
  })

  test.each([
    ['between two others', [2, 4, 5], /missing between 0+1(0{15}2) and 0+10+4$/m],
    ['the first that a backup needs', [3, 4, 5], /missing 0+10+2, which backup older needs$/m],
    ['the last that a backup needs', [2, 3], /missing 0+10+4, which backup newer needs$/m],
  ])('finds a WAL file that is gone: %s', async (_, left, fault) => {
    putSegments(left.map((n) => segment(n)))
    expect(await verify()).toEqual({ code: 1, output: expect.stringMatching(fault) })
  })

  test('a timeline goes on where another ended', async () => {
    putSegments([...whole, segment(6, 2), segment(7, 2), segment(8, 3)])
    expect((await verify()).code).toBe(0)
    // What the primary before had written, and nobody confirmed.
    putSegments([...whole, segment(5, 2), segment(6, 2)])
    expect((await verify()).code).toBe(0)
    putSegments([...whole, segment(6, 2), segment(8, 2)])
    expect(await verify()).toEqual({
      code: 1,
      output: expect.stringMatching(/missing between 0+20+6 and 0+20+8$/m),
    })
  })

  test('a timeline that begins behind the end of another needs a backup of its own', async () => {
    putSegments([...whole, segment(7, 2), segment(8, 2)])
    expect(await verify()).toEqual({
      code: 1,
      output: expect.stringMatching(/missing before 0+20+7, so nothing from there on can be restored/),
    })
    const own = { label: 'own', wal: [segment(8, 2), segment(8, 2)] as [string, string], at: now() }
    putBackups({ ...newer, wal: [...newer.wal] }, own)
    expect((await verify()).code).toBe(0)
    putBackups({ ...newer, wal: [...newer.wal] }, { ...own, error: true })
    expect((await verify()).output).toMatch(/missing before 0+20+7,/)
  })

  test('a file that is there a little later than the next one is not missing', async () => {
    putSegments([2, 3, 4, 6].map((n) => segment(n)))
    putSegments(
      [2, 3, 4, 5, 6].map((n) => segment(n)),
      'segments-later',
    )
    expect((await verify()).code).toBe(0)
  })

  test('a backup of damaged pages is a fault, and not the last good one', async () => {
    putBackups({ ...older, wal: [...older.wal] }, { ...newer, wal: [...newer.wal], at: now(), error: true })
    const { code, output } = await verify()
    expect(code).toBe(1)
    expect(output).toMatch(/^fault: backup newer was made of damaged pages$/m)
    expect(output).toMatch(/^fault: the last good backup is \d+ hours old$/m)
  })
})

describe('what reaches the node exporter', () => {
  const name = 'crewhall_backup_verified'
  const metrics = [join(shipped, 'prometheus/backup-metrics.sh'), 'main']
  const tell = async (...args: string[]) => {
    const { code } = await attempt('sh', [...metrics, ...args], { env: env() })
    const lines = readFileSync(join(folder, 'crewhall-backup.prom'), 'utf8').matchAll(
      /^crewhall_backup_(\w+) (\d+)$/gm,
    )
    return { code, ...Object.fromEntries([...lines].map(([, key, value]) => [key, Number(value)])) }
  }
  const last = { success_timestamp_seconds: newer.at }
  const said = (code: number, verified: number, at: unknown) => ({
    code,
    ...last,
    verified,
    verified_timestamp_seconds: at,
  })

  beforeEach(() => putBackups({ ...older, wal: [...older.wal] }, { ...newer, wal: [...newer.wal] }))

  test('the age of the last backup, what verify said, and when it last found all whole', async () => {
    expect(await tell()).toEqual({ code: 0, ...last, verified_timestamp_seconds: 0 })
    const began = now()
    const good = await tell('verify')
    const at = Number(
      readFileSync(join(folder, 'crewhall-backup.prom'), 'utf8').match(
        /verified_timestamp_seconds (\d+)/,
      )?.[1],
    )
    expect(good).toEqual(said(0, 1, at))
    expect(at).toBeGreaterThanOrEqual(began)
    expect(await tell()).toEqual(said(0, 1, at))
    put('status', 'error\n')
    expect(await tell('verify')).toEqual(said(1, 0, at))
    expect(await tell()).toEqual(said(0, 0, at))
    put('status', 'ok\n')
    expect(await tell('verify')).toMatchObject({ code: 0, verified: 1 })
    // pgBackRest has nothing against a WAL file that is not there.
    putSegments([2, 4, 5].map((n) => segment(n)))
    expect(await tell('verify')).toMatchObject({ code: 1, verified: 0 })
  })

  test('a backup of damaged pages is not the last good one', async () => {
    putBackups({ ...older, wal: [...older.wal] }, { ...newer, wal: [...newer.wal], error: true })
    expect(await tell()).toMatchObject({ success_timestamp_seconds: older.at })
  })

  test(`${name} of an older backup does not stand for a verify that was killed`, async () => {
    const { verified_timestamp_seconds: at } = (await tell('verify')) as ReturnType<typeof said>
    put('hang', '')
    const child = spawn('sh', [...metrics, 'verify'], {
      env: { ...process.env, ...env() },
      detached: true,
      stdio: 'ignore',
    })
    await waitFor(() => !existsSync(join(folder, 'hang')), 10_000)
    expect(await tell()).toEqual(said(0, 1, at))
    const ended = once(child, 'exit')
    // With all that it started, as systemd does.
    process.kill(-Number(child.pid), 'SIGKILL')
    await ended
    expect(await tell()).toEqual({ code: 0, ...last, verified_timestamp_seconds: at })
    expect(await tell('verify')).toMatchObject({ code: 0, verified: 1 })
  })
})
