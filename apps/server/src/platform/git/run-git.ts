import { type ChildProcess, spawn } from 'node:child_process'

export interface GitOrder {
  readonly args: readonly string[]
  /** Settings of this call. They reach git by its environment, so no secret stands in a list of processes. */
  readonly settings?: readonly (readonly [string, string])[]
  /** Variables besides the fixed ones. */
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
  readonly limit_ms: number
  readonly signal?: AbortSignal | undefined
  /** Largest file that it may write. */
  readonly file_bytes?: number
  /** Most that is read of what it says; beyond it is ended. */
  readonly output_bytes?: number
}

export interface GitResult {
  /** Null when it was ended. */
  readonly code: number | null
  readonly stdout: string
  /** The last of it. */
  readonly stderr: string
  /** Why it was ended: its time, the length of its output, or whoever ordered it; `size` when a file became too large. */
  readonly ended?: 'time' | 'output' | 'signal' | 'size'
}

/**
 * Nothing of our environment reaches git, and no settings of the machine or of a person: neither hooks, helpers and
 * filters nor a proxy.
 */
const fixedEnv = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  HOME: '/nonexistent',
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: '/bin/false',
  SSH_ASKPASS: '/bin/false',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_NO_LAZY_FETCH: '1',
  // Until a call allows one, no transport works.
  GIT_ALLOW_PROTOCOL: 'none',
}

const fixedSettings: readonly (readonly [string, string])[] = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['core.askPass', '/bin/false'],
  ['credential.helper', ''],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['submodule.recurse', 'false'],
  ['safe.bareRepository', 'all'],
  // Packs are seen through small windows, within the memory that git may have.
  ['core.packedGitWindowSize', '64m'],
  ['core.packedGitLimit', '512m'],
  ['core.deltaBaseCacheLimit', '96m'],
  ['advice.detachedHead', 'false'],
]

const mostMemoryKib = 4 * 1024 * 1024
const errorBytes = 4096
const largestOutput = 256 * 1024 * 1024
/** The shell counts files in blocks of 512 bytes. */
const blockBytes = 512
/**
 * Limits of the kernel first, then git in place of the shell, which the kernel ends when our process is gone, however it
 * went. A file that becomes too large is an error that git tells, not the end of it. Values are arguments, never part of the text.
 */
const limited = `trap '' XFSZ; ulimit -c 0; ulimit -v "$1"; ulimit -f "$2"; shift 2
  command -v setpriv >/dev/null && exec setpriv --pdeathsig KILL git "$@"; exec git "$@"`

/** Runs git in a group of processes of its own, which ends with it. */
export function runGit(order: GitOrder): Promise<GitResult> {
  const { args, input, limit_ms, signal, output_bytes = largestOutput } = order
  const blocks = order.file_bytes === undefined ? 'unlimited' : Math.ceil(order.file_bytes / blockBytes)
  const child = spawn('/bin/sh', ['-c', limited, 'git', String(mostMemoryKib), String(blocks), ...args], {
    env: { ...fixedEnv, ...settingsEnv([...fixedSettings, ...(order.settings ?? [])]), ...order.env },
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let [bytes, stderr] = [0, '']
    let ended: GitResult['ended']
    const end = (why: GitResult['ended']) => {
      ended ??= why
      killGroup(child)
    }
    const timer = setTimeout(() => end('time'), limit_ms)
    const onAbort = () => end('signal')
    if (signal?.aborted) onAbort()
    signal?.addEventListener('abort', onAbort, { once: true })
    // Git in a group of its own would outlive us.
    const onExit = () => killGroup(child)
    process.once('exit', onExit)
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > output_bytes) end('output')
      else chunks.push(chunk)
    })
    child.stderr.on('data', (chunk: Buffer) => {
      stderr = (stderr + chunk.toString('utf8')).slice(-errorBytes)
    })
    const settle = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
      process.off('exit', onExit)
    }
    child.once('error', (error) => {
      settle()
      reject(error)
    })
    child.once('close', (code) => {
      settle()
      // What it has started may go on without it.
      killGroup(child)
      if (/file too large/i.test(stderr)) ended ??= 'size'
      resolve({ code, stdout: Buffer.concat(chunks).toString('utf8'), stderr, ...(ended ? { ended } : {}) })
    })
    child.stdin.on('error', () => {})
    child.stdin.end(input)
  })
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}

function settingsEnv(settings: readonly (readonly [string, string])[]): Record<string, string> {
  const named = settings.flatMap(([key, value], at) => [
    [`GIT_CONFIG_KEY_${at}`, key],
    [`GIT_CONFIG_VALUE_${at}`, value],
  ])
  return { GIT_CONFIG_COUNT: String(settings.length), ...Object.fromEntries(named) }
}
