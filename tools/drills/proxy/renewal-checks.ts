import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { attempt } from '@crewhall/services/commands.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import type { DrillCheck } from '../drill.ts'
import { expectThat } from '../expect-that.ts'
import { ensureCaddy } from './caddy-program.ts'
import { ask, fingerprintOf } from './proxy-client.ts'
import { adaptCaddyfile, configs, type StartedProxy } from './started-proxy.ts'

/** Another certificate in place of the given one, while somebody asks all the time. */
export async function checkGivenCertificate(check: DrillCheck, proxy: StartedProxy): Promise<void> {
  await check('a given certificate is replaced while requests go on', async () => {
    const before = await fingerprintOf(proxy)
    let stop = false
    const count = { served: 0, again: 0 }
    const once = async () => {
      // Either certificate will do: which one is shown in the moment of the change is not known.
      const { status } = await ask(proxy, '/api/v1/system/health', { is_trusting: true })
      expectThat(status === 200, `answered ${status}`)
      count.served += 1
    }
    const client = async () => {
      while (!stop)
        await once().catch((error: NodeJS.ErrnoException) => {
          // Caddy hangs up on some when it reloads. A second failure would be one.
          if (error.code !== 'ECONNRESET') throw error
          count.again += 1
          return once()
        })
    }
    const clients = [client(), client(), client()]
    const all = Promise.all(clients)
    const change = async () => {
      await waitFor(() => count.served > 10, 20_000)
      await proxy.renew()
      await waitFor(async () => (await fingerprintOf(proxy)) !== before, 20_000)
      const at = count.served
      await waitFor(() => count.served > at + 10, 20_000)
    }
    await Promise.race([all, change()]).finally(() => {
      stop = true
    })
    await all
    expectThat(count.again <= clients.length, `${count.again} requests had to be repeated`)
    return [true, `${count.served} requests, ${count.again} repeated`]
  })
}

const name = 'crewhall.test'
const authority = 'ca.test'

const authorityFile = (folder: string): string => `{
	admin off
	skip_install_trust
	auto_https disable_redirects
	storage file_system ${folder}/authority
}
https://${authority}:9443 {
	tls internal
	acme_server
}
`

/** The delivered Caddyfile gets its certificate from an authority and renews it, in a network of their own with port 80. */
export async function checkAutomaticCertificate(check: DrillCheck): Promise<void> {
  await check('an automatic certificate is got and renewed while handshakes go on', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'crewhall-acme-'))
    const started: ChildProcess[] = []
    const log = openSync(join(folder, 'log'), 'a')
    const start = (command: readonly string[], env: Record<string, string> = {}) => {
      const [program = '', ...args] = command
      const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ['ignore', log, log] })
      started.push(child)
      return child.pid ?? 0
    }
    try {
      writeFileSync(join(folder, 'hosts'), `127.0.0.1 localhost ${name} ${authority}\n`)
      writeFileSync(join(folder, 'Caddyfile'), authorityFile(folder))
      const alone = `ip link set lo up && mount --bind ${folder}/hosts /etc/hosts && exec "$@"`
      const program = await ensureCaddy()
      const caddy = [program, 'run', '--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')]
      const pid = start(['unshare', '--net', '--mount', 'sh', '-c', alone, '_', ...caddy])
      const root = join(folder, 'authority/pki/authorities/local/root.crt')
      const inside = (...command: string[]) => [
        'nsenter',
        '--target',
        String(pid),
        '--net',
        '--mount',
        ...command,
      ]
      await waitFor(() => existsSync(root), 15_000)
      const env = settings(folder, root)
      const file = join(folder, 'caddy.json')
      writeFileSync(file, await adaptCaddyfile(env, renewOften))
      start(inside(program, 'run', '--config', file), env)
      const shake = ['openssl', 's_client', '-connect', `${name}:443`, '-servername', name, '-CAfile', root]
      const look = async () => {
        const verified = ['-verify_hostname', name, '-verify_return_error']
        const [program = '', ...args] = inside(...shake, ...verified)
        const { code, output } = await attempt(program, args)
        return code === 0 ? certificateIn(output) : undefined
      }
      const began = performance.now()
      const first = await waitFor(look, 30_000)
      const seconds = ((performance.now() - began) / 1000).toFixed(1)
      let shaken = 0
      let failed = 0
      await waitFor(async () => {
        const now = await look()
        shaken += 1
        if (now === undefined) failed += 1
        return now !== undefined && now !== first
      }, 40_000)
      expectThat(failed === 0, `${failed} of ${shaken} handshakes failed`)
      return [true, `got in ${seconds} s; ${shaken} handshakes until another was shown, none failed`]
    } catch (error) {
      const said = readFileSync(join(folder, 'log'), 'utf8').split('\n').slice(-12).join('\n')
      throw new Error(`${error instanceof Error ? error.message : error}\n${said}`)
    } finally {
      for (const child of started.reverse()) {
        const ended = once(child, 'close')
        if (child.exitCode === null && child.kill('SIGKILL')) await ended
      }
      rmSync(folder, { recursive: true, force: true })
    }
  })
}

function settings(folder: string, root: string): Record<string, string> {
  const home = join(folder, 'proxy')
  mkdirSync(home)
  return {
    PUBLIC_URL: `https://${name}`,
    PROXY_CERTIFICATES: 'automatic',
    PROXY_HTTP_PORT: '80',
    ACME_DIRECTORY: `https://${authority}:9443/acme/local/directory`,
    CADDY_ADMIN: 'off',
    PROXY_PAGES: configs,
    SSL_CERT_FILE: root,
    XDG_DATA_HOME: home,
    XDG_CONFIG_HOME: home,
  }
}

/** Certificates live for 12 hours there and would be renewed in the last four. */
const renewOften: Parameters<typeof adaptCaddyfile>[1] = ({ apps }) => {
  const { automation } = apps.tls
  expectThat(automation?.policies?.[0], 'nothing is automatic')
  automation.renew_interval = 2_000_000_000
  automation.policies[0].renewal_window_ratio = 0.9999
}

const certificateIn = (text: string): string | undefined =>
  /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/.exec(text)?.[0]
