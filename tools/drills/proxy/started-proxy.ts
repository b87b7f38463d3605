import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { run } from '@crewhall/services/commands.ts'
import { freePort } from '@crewhall/testkit/free-port.ts'
import { selfSigned } from '@crewhall/testkit/self-signed.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { ensureCaddy } from './caddy-program.ts'
import type { ProxiedProduct } from './proxied-product.ts'
import { ask, type ProxyPlace } from './proxy-client.ts'

export const configs = resolve(import.meta.dirname, '../../../deploy/production')

export interface StartedProxy extends ProxyPlace {
  readonly pid: number
  /** Everything it has logged, in whatever file. */
  logs(): string
  /** Puts another certificate into the place of the given one and makes the proxy notice. */
  renew(): Promise<string>
  stop(): Promise<void>
}

export interface ProxySpot {
  readonly folder: string
  readonly ports: { readonly https: number; readonly http: number; readonly admin: number }
  readonly url: string
}

export async function newSpot(): Promise<ProxySpot> {
  const folder = mkdtempSync(join(tmpdir(), 'crewhall-proxy-'))
  for (const name of ['log', 'run', 'home']) mkdirSync(join(folder, name))
  const ports = { https: await freePort(), http: await freePort(), admin: await freePort() }
  return { folder, ports, url: `https://localhost:${ports.https}` }
}

export const writeCertificate = (folder: string): string => {
  const { key, cert } = selfSigned('localhost')
  writeFileSync(join(folder, 'key.pem'), key, { mode: 0o600 })
  writeFileSync(join(folder, 'cert.pem'), cert)
  return cert
}

/** The Caddyfile as it is delivered, but on loopback alone. */
export async function startCaddy(spot: ProxySpot, product: ProxiedProduct): Promise<StartedProxy> {
  const { folder, ports, url } = spot
  const cert = writeCertificate(folder)
  const env = {
    PUBLIC_URL: url,
    API_UPSTREAMS: ['127.0.1.1', '127.0.1.2'].map((at) => `${at}:${product.http_port}`).join(' '),
    API_INSIDE_PORT: String(product.inside_port),
    CADDY_ADMIN: `localhost:${ports.admin}`,
    PROXY_HTTP_PORT: String(ports.http),
    PROXY_CERTIFICATES: 'given',
    CERTIFICATE_FILE: join(folder, 'cert.pem'),
    CERTIFICATE_KEY_FILE: join(folder, 'key.pem'),
    PROXY_PAGES: configs,
    XDG_DATA_HOME: join(folder, 'home'),
    XDG_CONFIG_HOME: join(folder, 'home'),
  }
  const file = join(folder, 'caddy.json')
  writeFileSync(file, await adaptCaddyfile(env))
  const reload = ['reload', '--config', file, '--address', env.CADDY_ADMIN, '--force']
  const caddy = await ensureCaddy()
  return begin(spot, cert, [caddy, 'run', '--config', file], env, () => run(caddy, reload, { env }))
}

/** As Caddy reads it, with every listener on loopback. `change` may alter more. */
export async function adaptCaddyfile(
  env: Record<string, string>,
  change: (config: CaddyConfig) => void = () => {},
): Promise<string> {
  const args = ['adapt', '--config', join(configs, 'Caddyfile'), '--adapter', 'caddyfile']
  const printed = await run(await ensureCaddy(), args, { env })
  const config = JSON.parse(printed.slice(printed.indexOf('{"admin"'))) as CaddyConfig
  for (const server of Object.values(config.apps.http.servers))
    server.listen = server.listen.map((address) => `127.0.0.1${address}`)
  change(config)
  return JSON.stringify(config)
}

export interface CaddyConfig {
  apps: {
    http: { servers: Record<string, { listen: string[] }> }
    tls: { automation?: { renew_interval?: number; policies?: { renewal_window_ratio?: number }[] } }
  }
}

/** Waits until it serves. Names a proxy by the process that was started, which is the one that ends it. */
export async function begin(
  { folder, ports, url }: ProxySpot,
  ca: string,
  [command = '', ...args]: readonly string[],
  env: Record<string, string>,
  reload: () => Promise<unknown>,
): Promise<StartedProxy> {
  const log = openSync(join(folder, 'log', 'output.log'), 'a')
  const path = `${process.env.PATH ?? ''}:/usr/sbin`
  const child = spawn(command, args, {
    env: { ...process.env, PATH: path, ...env },
    stdio: ['ignore', log, log],
  })
  const ended = once(child, 'close')
  const logs = () =>
    readdirSync(join(folder, 'log'))
      .map((name) => readFileSync(join(folder, 'log', name), 'utf8'))
      .join('\n')
  const place = { url, plain_url: `http://localhost:${ports.http}`, ca }
  const started = {
    ...place,
    pid: child.pid ?? 0,
    logs,
    async renew() {
      started.ca = writeCertificate(folder)
      await reload()
      return started.ca
    },
    async stop() {
      if (child.exitCode === null) child.kill('SIGTERM')
      const late = setTimeout(() => child.kill('SIGKILL'), 15_000)
      await ended
      clearTimeout(late)
      rmSync(folder, { recursive: true, force: true })
    },
  }
  try {
    const gone = ended.then(() => Promise.reject(new Error(`${command} ended:\n${logs()}`)))
    await Promise.race([
      gone,
      waitFor(async () => (await ask(started, '/api/v1/system/health')).status === 200, 30_000),
    ])
    gone.catch(() => {})
    return started
  } catch (error) {
    await started.stop()
    throw error
  }
}
