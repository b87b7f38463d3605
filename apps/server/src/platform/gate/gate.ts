import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, statSync } from 'node:fs'
import type { Server } from 'node:net'
import { fileURLToPath } from 'node:url'
import { type GateOptions, outletIn } from '#platform/gate/gate-options.ts'
import { openOutlet } from '#platform/gate/outlet.ts'
import type { Log } from '#platform/log/log.ts'

interface GateDeps {
  readonly options: GateOptions
  /** The network namespace of peers; that of this process without it. */
  readonly namespace: string | undefined
  readonly api_url: string
  readonly log: Log
}

const entry = fileURLToPath(new URL('gate-process.ts', import.meta.url))
const env = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' }
const againMs = 1000

/** Keeps the process in the network of peers up. It runs as the owner of its folder, and may do nothing that needs rights. */
export class Gate {
  readonly #deps: GateDeps
  #outlet: Server | undefined
  #child: ChildProcess | undefined
  #again: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(deps: GateDeps) {
    this.#deps = deps
  }

  async open(): Promise<void> {
    const { options, api_url } = this.#deps
    mkdirSync(options.folder, { recursive: true, mode: 0o750 })
    this.#outlet = await openOutlet(outletIn(options.folder), api_url, statSync(options.folder))
    this.#start()
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#again)
    this.#child?.kill()
    this.#outlet?.close()
  }

  #start(): void {
    const { options, namespace, log } = this.#deps
    const { uid, gid } = statSync(options.folder)
    const [program = '', ...args] = [
      ...(namespace === undefined ? [] : ['ip', 'netns', 'exec', namespace]),
      ...['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'],
      ...['--inh-caps=-all', '--bounding-set=-all', '--no-new-privs'],
      ...[process.execPath, entry, JSON.stringify(options)],
    ]
    const child = spawn(program, args, { env, stdio: ['pipe', 'pipe', 'pipe'] })
    this.#child = child
    let complaint = ''
    child.stderr.on('data', (bytes: Buffer) => {
      complaint = `${complaint}${bytes.toString()}`.slice(-2000)
    })
    child.stdout.once('data', () => log.info({ folder: options.folder, uid }, 'the gate of the mesh is open'))
    child.once('error', (error) => log.error({ error }, 'the gate of the mesh cannot be started'))
    child.once('close', (code) => {
      if (this.#isClosed) return
      log.error({ code, complaint }, 'the gate of the mesh has ended; it is started again')
      this.#again = setTimeout(() => this.#start(), againMs)
    })
  }
}
