import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { attempt, run } from '@crewhall/services/commands.ts'
import { ensurePackages, isRoot } from '@crewhall/services/debian-packages.ts'
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

// Debian's package has promtool.
const fault = isRoot
  ? await ensurePackages(['prometheus'], join(root, '.reports/watching-packages.log')).then(
      () => undefined,
      (error: unknown) => `and could not be installed: ${error}`,
    )
  : 'and only root may install it'
const hasPromtool = (await attempt('promtool', ['--version'])).code === 0
const why = hasPromtool ? '' : ` (not run: promtool is not there, ${fault})`

describe.skipIf(!hasPromtool)(`as Prometheus reads them${why}`, () => {
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
