import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { freePort } from '@crewhall/testkit/free-port.ts'
import type { HostArch } from '@crewhall/testkit/hosts/host-root.ts'
import { type TestHost, useHosts } from '@crewhall/testkit/hosts/test-host.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { call } from '@crewhall/testkit/world/call.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import { afterAll, beforeAll, expect } from 'vitest'
import { bundleSidecar } from '../tools/build/bundle.ts'
import { keepKey, publicHalf, signBundle, signKey, signNode, signNpm } from '../tools/build/bundle-signing.ts'

interface Step {
  readonly key: string
  readonly state: string
  readonly reason: string | null
  readonly hint: string | null
}
export interface ShownDesk {
  readonly workstation_id: string
  readonly status: string
  readonly onboarding_steps: readonly Step[]
}
export interface OrderedDesk extends ShownDesk {
  readonly install_command: string
  readonly pat: string
}

interface ShownUpdate {
  readonly state: string
  readonly error: string | null
  readonly from_version: string | null
  readonly to_version: string | null
}

export interface DeskService {
  /** The first host, behind whose address the service listens. */
  readonly first: TestHost
  /** A further one, without a way to a registry of npm. */
  newHost(init?: 'systemd' | 'plain', arch?: HostArch): Promise<TestHost>
  order(runtime?: string): Promise<OrderedDesk>
  show(id: string, query?: string): Promise<{ readonly body: ShownDesk; readonly text: string }>
  release(id: string): Promise<void>
  /** Where the service finds it. */
  place(id: string): Promise<string>
  /** Waits for a state. */
  becomes(id: string, status: string): Promise<ShownDesk>
  /** Puts the sidecar there under another version, for updates: with other code, or with another byte than was signed. */
  publish(
    version: string,
    change?: (code: string) => string,
    more?: { readonly is_flipped?: boolean },
  ): Promise<void>
  /** Puts a Node for another kind of machine there. */
  publishNode(arch: string, file: string): Promise<void>
  requestUpdate(id: string): Promise<void>
  /** The last that was requested. */
  update(id: string): Promise<ShownUpdate>
}

/** Runs the command as it was printed. Returns what the installer said. */
export async function install(host: TestHost, { install_command }: OrderedDesk): Promise<string> {
  const { code, output } = await host.run(install_command)
  expect([code, output]).toEqual([0, expect.stringContaining('this machine is the desk')])
  return output
}

/** Both processes of the service and the key of the desk: what must not change when nothing is to be done. */
export const identityOn = (host: TestHost): Promise<string> =>
  host.must("pgrep -f 'sidecar[.]mjs' | sort; sha256sum /var/lib/crewhall/identity.pem")

const limitMs = 60_000

/** A service that hosts reach, with a sidecar and a Node to install, as an operator sets it up. */
export function useDeskService(): DeskService {
  const hosts = useHosts()
  const home = mkdtempSync(join(tmpdir(), 'desk-service-'))
  const server = useServer('product', {
    DESK_NETWORKS: '10.77.0.0/16',
    DESK_CHECK_INTERVAL_MS: '1000',
  })
  let first: TestHost | undefined
  let cookie = ''
  let get = server.get
  let folder = ''
  let code: string | undefined

  const newHost = async (init: 'systemd' | 'plain' = 'systemd', arch: HostArch = 'own') =>
    withoutRegistry(await hosts.start({ init, arch }))
  beforeAll(async () => {
    const [host, env] = await Promise.all([newHost(), publishFiles(home)])
    first = host
    folder = env.SIDECAR_BUNDLE_DIR
    const port = await freePort()
    // All hosts reach the address of this line, because it is one of this machine.
    const address = {
      HTTP_HOST: '0.0.0.0',
      HTTP_PORT: String(port),
      PUBLIC_URL: `http://${host.gateway}:${port}`,
    }
    const { url } = await server.start('api', { ...env, ...address })
    await server.start('worker', env)
    get = (path, init) => fetch(`${url}${path}`, init)
    cookie = await newMember({ get, sql: server.sql })
  })
  afterAll(() => rmSync(home, { recursive: true }))

  const ask = async <Body>(method: string, path: string, body?: unknown) => {
    const answer = await call<Body>(get, { cookie }, method, `/api/v1${path}`, body)
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
    return answer
  }
  const show = (id: string, query = '') => ask<ShownDesk>('GET', `/workstations/${id}${query}`)
  return {
    get first() {
      if (!first) throw new Error('hosts are up only while tests run')
      return first
    },
    newHost,
    show,
    order: async (runtime = 'codex') =>
      (await ask<OrderedDesk>('POST', '/workstations', { name: 'Desk', runtime })).body,
    release: async (id) => {
      await ask('DELETE', `/workstations/${id}`)
    },
    async place(id) {
      const sql = 'select sidecar_url from fleet.desks where id = $1'
      const [row] = await server.sql<{ sidecar_url: string }>(sql, [id])
      return row?.sidecar_url ?? ''
    },
    becomes: (id, status) =>
      waitFor(async () => {
        const { body } = await show(id)
        if (body.status === status) return body
        throw new Error(JSON.stringify(body.onboarding_steps))
      }, limitMs),
    async publish(version, change = (code) => code, { is_flipped = false } = {}) {
      const file = join(folder, 'sidecar.mjs')
      code ??= readFileSync(file, 'utf8')
      const { version: own } = JSON.parse(readFileSync('apps/sidecar/package.json', 'utf8'))
      writeFileSync(file, change(code.replaceAll(`"${own}"`, `"${version}"`)))
      await signBundle(folder, keyIn(home))
      if (!is_flipped) return
      const bytes = readFileSync(file)
      bytes[1000] = (bytes[1000] ?? 0) ^ 1
      writeFileSync(file, bytes)
    },
    publishNode: async (arch, file) => {
      await signNode(folder, keyIn(home), { arch, version: process.versions.node, file, level: 1 })
    },
    requestUpdate: async (id) => {
      await ask('POST', `/machines/${id}/updates`)
    },
    async update(id) {
      const { body } = await ask<{ updates: ShownUpdate[] }>('GET', `/machines/${id}/updates`)
      const [newest] = body.updates
      if (!newest) throw new Error('there was no request')
      return newest
    },
  }
}

/** Nothing listens on that port: what is on other machines is no part of these tests. */
export async function withoutRegistry(host: TestHost): Promise<TestHost> {
  await host.must("echo 'registry=http://127.0.0.1:9/' > /root/.npmrc")
  return host
}

const keyIn = (home: string): string => join(home, 'signing.pem')

/** Builds and signs what is installed. Returns the settings of the service that name it. */
export async function publishFiles(home: string) {
  const folder = mkdtempSync(join(home, 'published-'))
  const keyFile = keyIn(home)
  const root = await keepKey(join(home, 'root.pem'))
  await signKey(keyFile, root)
  await bundleSidecar(folder)
  await signBundle(folder, keyFile)
  const { arch, versions, execPath: file } = process
  await signNode(folder, keyFile, { arch, version: versions.node, file, level: 1 })
  await signNpm(folder, keyFile, packNpm(home))
  return { SIDECAR_BUNDLE_DIR: folder, SIDECAR_ROOT_KEY: publicHalf(root) }
}

/** The npm of this machine, as a package of it would be. */
function packNpm(home: string): { readonly version: string; readonly file: string } {
  const program = execFileSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).trim()
  const folder = resolve(realpathSync(program), '../..')
  const file = join(home, 'npm.tgz')
  const parts = ['-C', dirname(folder), '--exclude=man', '--exclude=docs', basename(folder)]
  execFileSync('tar', ['-czf', file, ...parts])
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return { version, file }
}

async function newMember(server: ConstructorParameters<typeof World>[0]): Promise<string> {
  const world = new World(server)
  const member = await world.join(await world.newBrand(), 'admin')
  await world.sql(
    `insert into identity.plans (key, name, features, desk_cap, source_cap)
     values ('plan_of_hosts', 'plan_of_hosts', '{machines}', 100, 1)`,
  )
  await world.sql(`update identity.brands set plan_key = 'plan_of_hosts' where id = $1`, [member.brand_id])
  return world.newCookie(member.person_id, member.brand_id)
}
