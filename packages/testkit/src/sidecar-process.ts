import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll } from 'vitest'
import { freePort } from './free-port.ts'
import { type LogLine, root, within } from './server-process.ts'
import { waitFor } from './wait-for.ts'

/** A desk on this machine: its files and its address. It outlives the processes that run on it. */
export interface SidecarPlace {
  readonly folder: string
  readonly state_dir: string
  readonly join_secret_file: string
  readonly settings_file: string
  readonly port: number
  /** Where its health is served. */
  readonly url: string
  /** What its processes get besides the path. */
  readonly env: Readonly<Record<string, string>>
  /** The network that its processes run in; that of this machine without it. */
  readonly namespace?: string | undefined
}

export interface SidecarProcess {
  readonly place: SidecarPlace
  readonly child: ChildProcess
  readonly lines: readonly string[]
  logs(msg: string): LogLine[]
  /** Waits until it has logged this. */
  logged(msg: string): Promise<LogLine>
  /** Sends SIGTERM and waits for the end. Returns the exit code. */
  stop(): Promise<number | null>
  kill(): Promise<void>
  readonly ended: Promise<number | null>
}

interface PlaceOptions {
  readonly server_url: string
  readonly env_id: string
  /** The join secret; without it, a desk that has registered before. */
  readonly pat?: string
  /** Of a machine that has another desk; by default each place is a machine of its own. */
  readonly machine_id?: string
  readonly settings?: Readonly<Record<string, unknown>>
  readonly namespace?: string
  /** Of a virtual clock: that of this machine as well. */
  readonly clock?: { readonly env: { readonly TEST_CLOCK_FILE: string } }
}

export interface Sidecars {
  /** The bundle, as a desk has it. */
  readonly file: string
  place(options: PlaceOptions): Promise<SidecarPlace>
  /** `file` is another build of it. */
  run(place: SidecarPlace, args?: readonly string[], file?: string): SidecarProcess
  /** A new place, and its sidecar once it serves health. */
  start(options: PlaceOptions): Promise<SidecarProcess>
}

const limitMs = 90_000
const shiftedClock = new URL('./shifted-clock.ts', import.meta.url).href

/** The sidecar as it is shipped, bundled once for a test file, and processes of it that end with the file. */
export function useSidecars(): Sidecars {
  let folder = ''
  const started: SidecarProcess[] = []
  const fileIn = () => join(folder, 'bundle', 'sidecar.mjs')
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sidecars-'))
    const script = resolve(root, 'tools/build/build.ts')
    const build = spawn(process.execPath, [script, '--only', 'sidecar', join(folder, 'bundle')])
    const [code] = (await once(build, 'close')) as [number | null]
    if (code !== 0) throw new Error(`the build of the sidecar ended with ${code}`)
  })
  afterAll(async () => {
    await Promise.all(started.map((each) => each.kill()))
    await rm(folder, { recursive: true })
  })
  const run = (place: SidecarPlace, args: readonly string[] = [], file = fileIn()): SidecarProcess => {
    const process = runSidecar(file, place, args)
    started.push(process)
    return process
  }
  const place = (options: PlaceOptions) => newPlace(join(folder, randomUUID()), options)
  return {
    get file() {
      return fileIn()
    },
    place,
    run,
    async start(options) {
      const process = run(await place(options))
      await process.logged('health is served')
      return process
    },
  }
}

async function newPlace(folder: string, options: PlaceOptions): Promise<SidecarPlace> {
  await mkdir(folder)
  const port = await freePort()
  const place: SidecarPlace = {
    folder,
    state_dir: join(folder, 'state'),
    join_secret_file: join(folder, 'join-secret'),
    settings_file: join(folder, 'sidecar.json'),
    port,
    url: `http://127.0.0.1:${port}`,
    namespace: options.namespace,
    env: options.clock ? { ...options.clock.env, NODE_OPTIONS: `--import=${shiftedClock}` } : {},
  }
  const machineFile = join(folder, 'machine-id')
  await writeFile(machineFile, options.machine_id ?? randomUUID().replaceAll('-', ''))
  if (options.pat !== undefined) await writeFile(place.join_secret_file, options.pat, { mode: 0o600 })
  const settings = {
    server_url: options.server_url,
    env_id: options.env_id,
    state_dir: place.state_dir,
    join_secret_file: place.join_secret_file,
    health_address: '127.0.0.1',
    health_port: port,
    machine_id_file: machineFile,
    ...options.settings,
  }
  await writeFile(place.settings_file, JSON.stringify(settings))
  return place
}

function runSidecar(file: string, place: SidecarPlace, args: readonly string[]): SidecarProcess {
  const [program = '', ...words] = [...within(place.namespace), process.execPath, file, ...args]
  const child = spawn(program, words, {
    cwd: place.folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH ?? '', SIDECAR_SETTINGS: place.settings_file, ...place.env },
  })
  const lines: string[] = []
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on('line', (line) => lines.push(line))
  let hasEnded = false
  const ended = once(child, 'close').then(([code]) => {
    hasEnded = true
    return code as number | null
  })
  const logs = (msg: string): LogLine[] =>
    lines
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as LogLine)
      .filter((line) => line.msg === msg)
  const end = (signal: NodeJS.Signals) => {
    child.kill(signal)
    return ended
  }
  return {
    place,
    child,
    lines,
    ended,
    logs,
    async logged(msg) {
      const found = await waitFor(() => logs(msg)[0] ?? (hasEnded && 'ended'), limitMs).catch(
        () => 'ended' as const,
      )
      if (found === 'ended') throw new Error(`the sidecar has not logged “${msg}”:\n${lines.join('\n')}`)
      return found
    },
    stop: () => end('SIGTERM'),
    async kill() {
      await end('SIGKILL')
    },
  }
}
