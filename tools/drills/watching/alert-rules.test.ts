import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { attempt, run } from '@crewhall/services/commands.ts'
import { describe, expect, test } from 'vitest'
import { metricsIn, readAlerts, readQueries, root, rulesFolder } from './alert-rules.ts'

/** Of exporters and of backup-metrics.sh; a drill asks the real ones. */
const fromElsewhere = [
  'up',
  'crewhall_backup_success_timestamp_seconds',
  'crewhall_backup_verified',
  'pg_stat_archiver_last_archive_age',
  'pg_stat_archiver_failed',
  'pg_stat_replication_pg_wal_lsn_diff',
  'patroni_primary',
  'patroni_sync_standby',
  'node_filesystem_avail_bytes',
  'node_filesystem_size_bytes',
  'node_filesystem_readonly',
  'probe_ssl_earliest_cert_expiry',
  'probe_success',
  'crewhall_backup_verified_timestamp_seconds',
  'node_textfile_mtime_seconds',
  'pg_replication_is_replica',
  'nodejs_eventloop_lag_p99_seconds',
  'process_resident_memory_bytes',
  'process_cpu_seconds_total',
]
const ours = readFileSync(join(root, 'docs/metrics.md'), 'utf8')
const isKnown = (name: string) => fromElsewhere.includes(name) || ours.includes(`\`${name}`)
const alerts = readAlerts()

test('every alert and dashboard names only metrics that there are', () => {
  const named = [...alerts, ...readQueries()].flatMap(({ expr }) => metricsIn(expr))
  expect(named.length).toBeGreaterThan(50)
  expect(named.filter((name) => !isKnown(name))).toEqual([])
})

test.each(alerts.map((alert) => [alert.alert, alert] as const))('%s has a page that helps', (name, alert) => {
  const page = readFileSync(join(root, alert.annotations.runbook), 'utf8')
  expect(page).toContain(`Alert \`${name}\``)
  const headings = [...page.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading)
  expect(headings).toEqual(['Cause', 'Look', 'Remedy'])
  expect(page).not.toMatch(/support|vendor/i)
  for (const [, link = ''] of page.matchAll(/\]\(([^)#]+)\)/g))
    expect(existsSync(join(root, 'docs/runbooks', link)), link).toBe(true)
  expect(['page', 'ticket']).toContain(alert.labels.severity)
})

const hasPromtool = (await attempt('promtool', ['--version'])).code === 0

describe.skipIf(!hasPromtool)('as Prometheus reads them', () => {
  test('the rules and the settings are valid', async () => {
    await run('promtool', ['check', 'rules', join(rulesFolder, 'crewhall.rules.yml')])
    await run('promtool', ['check', 'config', '--syntax-only', join(rulesFolder, 'prometheus.yml')])
  })

  test('every alert fires on its fault, and none while all is well', async () => {
    const tests = readFileSync(join(rulesFolder, 'crewhall.test.yml'), 'utf8')
    for (const { alert } of alerts) {
      const named = [...tests.matchAll(new RegExp(`alertname: ${alert}\\b`, 'g'))].length
      expect([named > 1, tests.includes(`100m, alertname: ${alert},`)], alert).toEqual([true, true])
    }
    await run('promtool', ['test', 'rules', join(rulesFolder, 'crewhall.test.yml')])
  })
})

test('the age of the last backup and what verify said reach the node exporter', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'crewhall-backup-metrics-'))
  const segments = ['000000010000000000000001', '000000010000000000000002', '000000010000000000000003']
  const written = () => readFileSync(join(folder, 'crewhall-backup.prom'), 'utf8').match(/^crewhall.*$/gm)
  const tell = async (status: string, ...args: string[]) => {
    const info =
      '[{"backup":[{"lsn":{"stop":"0/5"},"timestamp":{"start":1700000090,"stop":1700000100}},{"timestamp":{"stop":1700000300}}]}]'
    const files = segments.map((name) => `0000000100000000/${name}-${'a'.repeat(40)}.zst`).join('\\n')
    const stub = `#!/bin/sh
case "$*" in
  *info*) echo '${info}' ;;
  *verify*) echo 'status: ${status}' ;;
  *--recurse*) printf '${files}\\n' ;;
  *repo-ls*) echo 17-1 ;;
esac
`
    writeFileSync(join(folder, 'pgbackrest'), stub)
    chmodSync(join(folder, 'pgbackrest'), 0o755)
    const env = { PATH: `${folder}:${process.env.PATH}`, TEXTFILE_DIRECTORY: folder }
    return (await attempt('sh', [join(rulesFolder, 'backup-metrics.sh'), 'main', ...args], { env })).code
  }
  const last = 'crewhall_backup_success_timestamp_seconds 1700000300'
  expect([await tell('ok'), written()]).toEqual([0, [last]])
  expect([await tell('ok', 'verify'), written()]).toEqual([0, [last, 'crewhall_backup_verified 1']])
  expect([await tell('error', 'verify'), written()]).toEqual([1, [last, 'crewhall_backup_verified 0']])
  expect([await tell('ok'), written()]).toEqual([0, [last, 'crewhall_backup_verified 0']])
  expect([await tell('ok', 'verify'), written()]).toEqual([0, [last, 'crewhall_backup_verified 1']])
  // pgBackRest has nothing against a WAL file that is not there.
  segments.splice(1, 1)
  expect([await tell('ok', 'verify'), written()]).toEqual([1, [last, 'crewhall_backup_verified 0']])
  rmSync(folder, { recursive: true })
})
