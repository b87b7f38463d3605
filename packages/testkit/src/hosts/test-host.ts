import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { attempt, type Outcome, tailOf, waitUntil } from '@crewhall/services/commands.ts'
import { afterAll } from 'vitest'
import { cutPower, folderOfHost, type HostFacts, makeFolder, noteFacts, removeHost } from './host-folder.ts'
import { addressOf, gatewayOf, makeNetwork } from './host-network.ts'
import { type HostArch, hostRootFor, type plainUser } from './host-root.ts'
import { descendantsOf, isInit, isRunning, markOf, ownerOfRun, type ProcessMark } from './process-mark.ts'

interface RunOptions {
  readonly as?: 'root' | typeof plainUser
  readonly input?: string
}

/** A machine with Debian: files, processes, users and network of its own, and systemd as its first process. */
export interface TestHost {
  readonly id: string
  readonly address: string
  /** Where the machine that runs the tests is, seen from the host. */
  readonly gateway: string
  /** Runs a script by bash to its end. */
  run(script: string, options?: RunOptions): Promise<Outcome>
  /** The same for one that has to end well. Returns what it printed. */
  must(script: string, options?: RunOptions): Promise<string>
  /** As whoever works on it would: services are stopped and started. */
  reboot(): Promise<void>
  cutPower(): Promise<void>
  boot(): Promise<void>
}

/** Ends what would never end, on a slow machine too. */
const bootLimitMs = 120_000

interface HostOptions {
  /** Its first process; `plain` is one that only starts cron. */
  readonly init?: 'systemd' | 'plain'
  readonly arch?: HostArch
  /** Folders of this machine that it sees, as `from:to`. */
  readonly binds?: readonly string[]
}

/** A host that its starter has to remove. */
export async function startHost(options: HostOptions = {}): Promise<TestHost & { remove(): Promise<void> }> {
  const host = new Host(options)
  try {
    await host.make()
    return host
  } catch (error) {
    await host.remove()
    throw error
  }
}

/** Hosts of a test file, which are removed at its end. */
export function useHosts(): { start(options?: HostOptions): Promise<TestHost> } {
  const started: Host[] = []
  afterAll(async () => {
    await Promise.all(started.map((host) => host.remove()))
  })
  return {
    async start(options = {}) {
      const host = new Host(options)
      started.push(host)
      await host.make()
      return host
    },
  }
}

class Host implements TestHost {
  readonly id = `h${randomBytes(4).toString('hex')}`
  #facts: HostFacts = { id: this.id, owner: ownerOfRun() }
  readonly #kind: 'systemd' | 'plain'
  readonly #root: string
  readonly #binds: readonly string[]
  #init: ProcessMark | undefined
  address = ''
  gateway = ''

  constructor({ init = 'systemd', arch = 'own', binds = [] }: HostOptions) {
    this.#binds = binds
    this.#kind = init
    this.#root = hostRootFor(arch)
  }

  async make(): Promise<void> {
    makeFolder(this.#facts)
    const network = await makeNetwork(this.id)
    this.#note({ line: network.line })
    this.address = addressOf(network)
    this.gateway = gatewayOf(network)
    await this.boot()
  }

  async boot(): Promise<void> {
    const folder = folderOfHost(this.id)
    const console = openSync(join(folder, 'console.log'), 'a')
    const script = join(import.meta.dirname, 'host-start.sh')
    const child = spawn(
      'unshare',
      ['--mount', '--propagation', 'private', 'sh', script, this.#root, folder, this.id, this.#kind],
      {
        stdio: ['ignore', console, console],
        env: { ...process.env, HOST_BINDS: this.#binds.join(' ') },
      },
    )
    closeSync(console)
    const machine = markOf(child.pid ?? 0)
    if (!machine) throw new Error('the host has not been started')
    this.#note({ machine })
    const isUp = async () => {
      if (!isRunning(machine)) throw new Error('the host has ended')
      this.#init = descendantsOf(machine.pid).filter(isInit).map(markOf)[0]
      if (!this.#init) return false
      if (this.#kind === 'plain') return (await this.run('pgrep -x cron')).code === 0
      // `degraded`: it is up, and a service that nobody needs is not.
      return /^(running|degraded)$/m.test((await this.run('systemctl is-system-running')).output)
    }
    const why = await waitUntil(isUp, bootLimitMs).then((up) => !up && new Error('not up in time'), toError)
    if (why) throw new Error(`${this.id}: ${why.message}\n${tailOf(join(folder, 'console.log'))}`)
  }

  run(script: string, { as = 'root', input }: RunOptions = {}): Promise<Outcome> {
    if (!this.#init || !isRunning(this.#init)) throw new Error(`${this.id} is off`)
    const home = as === 'root' ? '/root' : `/home/${as}`
    const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
    return attempt(
      'nsenter',
      [
        ...['--target', String(this.#init.pid), '--all', '--'],
        ...[
          'env',
          '--ignore-environment',
          `--chdir=${home}`,
          `HOME=${home}`,
          `USER=${as}`,
          `PATH=${path}`,
          'TERM=dumb',
        ],
        ...(as === 'root' ? [] : ['setpriv', `--reuid=${as}`, `--regid=${as}`, '--init-groups', '--']),
        ...['bash', '-c', script],
      ],
      input === undefined ? {} : { input },
    )
  }

  async must(script: string, options?: RunOptions): Promise<string> {
    const { code, output } = await this.run(script, options)
    if (code !== 0) throw new Error(`${this.id}: ended with ${code}: ${script}\n${output}`)
    return output.trimEnd()
  }

  async reboot(): Promise<void> {
    const { machine } = this.#facts
    await this.run('systemctl reboot')
    if (!machine || !(await waitUntil(() => !isRunning(machine), bootLimitMs)))
      throw new Error(`${this.id} does not go down`)
    await this.boot()
  }

  cutPower(): Promise<void> {
    return cutPower(this.#facts.machine)
  }

  remove(): Promise<void> {
    return removeHost(this.#facts)
  }

  #note(more: Partial<HostFacts>): void {
    this.#facts = { ...this.#facts, ...more }
    noteFacts(this.#facts)
  }
}

const toError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))
