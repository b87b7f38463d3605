import { execFile, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'

export interface Load {
  readonly rps: number
  readonly p50_ms: number
  readonly p99_ms: number
  /** Processor time of the server for one request: what matters on a noisy machine. */
  readonly cpu_us: number
}

const run = promisify(execFile)

/** The load maker is a Debian package, written in C so that it takes little from the two cores it shares. */
export function ensureWrk(): void {
  if (spawnSync('wrk', ['-v']).error === undefined) return
  const install = ['install', '-y', '--no-install-recommends', 'wrk']
  if (process.getuid?.() !== 0) throw new Error(`wrk is missing: sudo apt-get ${install.join(' ')}`)
  const quiet = { stdio: 'ignore', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } } as const
  spawnSync('apt-get', ['update'], quiet)
  if (spawnSync('apt-get', install, quiet).status !== 0) throw new Error('wrk could not be installed')
}

export interface LoadOptions {
  readonly seconds: number
  readonly connections: number
  readonly headers?: Readonly<Record<string, string>>
}

export interface ScriptOptions extends LoadOptions {
  /** A Lua file that makes the requests, and what it is told. */
  readonly script: string
  readonly args: readonly string[]
}

export const load = (url: string, pid: number, options: LoadOptions): Promise<Load> =>
  measure(pid, options, [url])

export const loadScript = (url: string, pid: number, options: ScriptOptions): Promise<Load> =>
  measure(pid, options, ['-s', options.script, url, '--', ...options.args])

async function measure(pid: number, options: LoadOptions, target: readonly string[]): Promise<Load> {
  const { seconds, connections, headers = {} } = options
  const before = cpuSeconds(pid)
  const sent = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const shape = ['-t1', `-c${connections}`, `-d${seconds}s`, '--latency', ...sent]
  const { stdout } = await run('wrk', [...shape, ...target])
  const used = cpuSeconds(pid) - before
  const requests = Number(/(\d+) requests in/.exec(stdout)?.[1] ?? 0)
  const refused = /Non-2xx or 3xx responses: (\d+)/.exec(stdout)?.[1]
  if (requests === 0 || refused !== undefined) throw new Error(`the load was not answered:\n${stdout}`)
  return {
    rps: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]),
    p50_ms: latency(stdout, '50%'),
    p99_ms: latency(stdout, '99%'),
    cpu_us: (used / requests) * 1e6,
  }
}

function latency(output: string, percentile: string): number {
  const [, value = '0', unit = 'ms'] = new RegExp(`${percentile}\\s+([\\d.]+)(us|ms|s)`).exec(output) ?? []
  return Number(value) * ({ us: 0.001, ms: 1, s: 1000 }[unit] ?? 1)
}

/** User and system time of a process, from the kernel's own count. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / 100
}
