import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from '@crewhall/services/commands.ts'
import { readServiceFacts } from '@crewhall/services/facts.ts'
import { freePort } from '@crewhall/testkit/free-port.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { Prometheus, readExample, replaced } from './prometheus.ts'

/** Prometheus and the exporters of the example, which a drill may provoke. */
export interface Watchers {
  readonly folder: string
  /** Where backup-metrics.sh writes. */
  readonly texts: string
  /** A file system of one megabyte. */
  readonly disk: string
  query(expr: string): Promise<unknown[]>
  /** Names of alerts that fire now. */
  firing(): Promise<string[]>
  /** The public address has a certificate of so many days from now on. */
  certify(days: number): Promise<void>
  /** Nobody answers at the public address any more. */
  closeAddress(): void
  /** The exporter that asks the public address ends. */
  killProbe(): void
  stop(): Promise<void>
}

export interface WatchedPorts {
  readonly api: number
  readonly worker: number
}

export async function startWatchers(ports: WatchedPorts): Promise<Watchers> {
  const folder = mkdtempSync(join(tmpdir(), 'crewhall-watching-'))
  const texts = join(folder, 'texts')
  const full = join(folder, 'full')
  mkdirSync(texts)
  // Without any file the exporter tells no age of files either.
  writeFileSync(join(texts, 'other.prom'), '')
  const prometheus = new Prometheus(folder)
  const at = {
    postgres: await freePort(),
    node: await freePort(),
    probe: await freePort(),
  }
  const address = await serveAddress(folder)
  const { port } = address.address() as AddressInfo
  const targets = [
    ['"api-1:9400", "api-2:9400"', ports.api],
    ['"worker-1:9401", "worker-2:9401"', ports.worker],
    ['"postgres-exporter:9187"', at.postgres],
    ['"node-exporter:9100"', at.node],
    ['"blackbox-exporter:9115"', at.probe],
  ] as const
  let settings = readExample()
  for (const [from, port] of targets) settings = replaced(settings, from, `"127.0.0.1:${port}"`)
  settings = replaced(
    settings,
    'https://crewhall.example.com/api/v1/system/health',
    `https://127.0.0.1:${port}/`,
  )
  // It needs desks, and a network of its own.
  settings = replaced(settings, '[{ targets: ["hub:9402"] }]', '[]')
  // There is no Patroni here; `.ci/drills ha` has one.
  settings = replaced(settings, '[{ targets: ["db-a:8008", "db-b:8008"] }]', '[]')
  // A scrape of a worker may wait for a silent database, which is less than the 10 s that it has elsewhere.
  settings = replaced(
    settings,
    'job_name: crewhall-worker',
    'job_name: crewhall-worker\n    scrape_interval: 5s\n    scrape_timeout: 5s',
  )
  prometheus.runPostgresExporter(at.postgres, readServiceFacts().postgres.admin_url)
  // The exporter reads the mounts of the first process, so one in a namespace would not be seen.
  mkdirSync(full)
  await run('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'none', full])
  const node = [
    'prometheus-node-exporter',
    `--web.listen-address=127.0.0.1:${at.node}`,
    '--collector.disable-defaults',
  ]
  const collectors = [
    '--collector.filesystem',
    '--collector.textfile',
    `--collector.textfile.directory=${texts}`,
  ]
  prometheus.run([...node, ...collectors])
  writeFileSync(
    join(folder, 'blackbox.yml'),
    'modules: { http_2xx: { prober: http, http: { tls_config: { insecure_skip_verify: true } } } }\n',
  )
  const probe = prometheus.run([
    'prometheus-blackbox-exporter',
    `--config.file=${folder}/blackbox.yml`,
    `--web.listen-address=127.0.0.1:${at.probe}`,
  ])
  await prometheus.start(settings)
  const watchers: Watchers = {
    folder,
    texts,
    disk: full,
    query: (expr) => prometheus.query(expr),
    firing: () => prometheus.firing(),
    async certify(days) {
      address.setSecureContext(await certificateOf(folder, days))
      // Whoever is connected has seen the old one.
      address.closeAllConnections()
    },
    closeAddress() {
      address.close()
      address.closeAllConnections()
    },
    killProbe() {
      probe.kill('SIGKILL')
    },
    async stop() {
      await prometheus.stop()
      await run('umount', [full])
      address.close()
      address.closeAllConnections()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  try {
    await waitFor(async () => (await watchers.query('up')).length >= 5, 40_000)
    return watchers
  } catch (error) {
    const said = prometheus.said()
    await watchers.stop()
    throw new Error(`${error instanceof Error ? error.message : error}\n${said}`)
  }
}

async function certificateOf(folder: string, days: number): Promise<{ key: Buffer; cert: Buffer }> {
  const key = join(folder, 'key.pem')
  const cert = join(folder, 'cert.pem')
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const made = ['req', ...kind, '-days', String(days), '-subj', '/CN=localhost', '-keyout', key, '-out', cert]
  await run('openssl', made)
  return { key: readFileSync(key), cert: readFileSync(cert) }
}

async function serveAddress(folder: string): Promise<Server> {
  const server = createServer(await certificateOf(folder, 90), (_request, response) => {
    response.end('ok')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}
