import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import type { FaultPoint } from '../fault-points.ts'
import { pause } from '../link/pause.ts'
import { retryWait } from '../link/waits.rules.ts'
import type { Log } from '../log.ts'
import type { OwnCode } from '../own-code.ts'
import type { Settings } from '../settings.ts'
import { openFolder } from '../state/durable-file.ts'
import { type Update, UpdateFile } from './update-file.ts'
import { folderOf, VersionFolders } from './version-folders.ts'

/** Of the sidecar: start what the link points to now. */
export const updatedCode = 12

/** Nothing but a person can mend these, and a stop is meant. */
const isFinal = (code: number): boolean => [0, 10, 11].includes(code)
const crashesAllowed = 1
const killAfterMs = 5000

/**
 * Runs the sidecar that `current` points to, again and again. A new version that ends twice by itself, or has not proven
 * itself in time, is taken back. The file that runs this is never replaced by an update, so a bad one cannot break it.
 */
export async function superviseSidecar(
  settings: Settings,
  own: { readonly file: string; readonly code: OwnCode },
  log: Log,
  faultPoint: FaultPoint,
): Promise<number> {
  const { updates, state_dir } = settings
  if (!updates) throw new Error('supervise: the settings have no updates.directory')
  await openFolder(state_dir)
  const stopping = new AbortController()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stopping.abort())
  const [folders, file] = [new VersionFolders(updates.directory), new UpdateFile(state_dir)]
  const first = folderOf(own.code.version, own.code.digest)
  if ((await folders.current()) === undefined) {
    await folders.add(first, await readFile(own.file))
    await folders.flipTo(first)
  }
  for (let failures = 0; ; ) {
    const folder = (await folders.current()) ?? first
    const began = performance.now()
    const isOnTrial = async () => (await trialOf(file, folder)) !== undefined
    const limitMs = (await isOnTrial()) ? updates.trial_s * 1000 : undefined
    const code = await runChild(folders.fileIn(folder), stopping.signal, limitMs, isOnTrial)
    if (stopping.signal.aborted || (typeof code === 'number' && isFinal(code)))
      return code === 'late' ? 0 : code
    if (code === updatedCode) continue
    failures = performance.now() - began > 60_000 ? 1 : failures + 1
    log.error('the sidecar ended', { code, folder, failures })
    const reverted = await judge({ file, folders, faultPoint }, folder, code)
    if (reverted) log.error('took back the new version', { error: reverted })
    else await pause(retryWait(failures, Math.random()), stopping.signal)
    if (stopping.signal.aborted) return 0
  }
}

/** The update whose new version this folder holds, if it has not proven itself yet. */
async function trialOf(file: UpdateFile, folder: string): Promise<Update | undefined> {
  const update = await file.read()
  const isOnTrial =
    update?.phase === 'on_trial' && folderOf(update.bundle.version, update.bundle.sha256) === folder
  return isOnTrial ? update : undefined
}

interface Judged {
  readonly file: UpdateFile
  readonly folders: VersionFolders
  readonly faultPoint: FaultPoint
}

/** Counts the end of a new version, and takes it back if that is enough. Returns why. */
async function judge(
  { file, folders, faultPoint }: Judged,
  folder: string,
  code: number | 'late',
): Promise<string | undefined> {
  // Read again: it may have proven itself before it ended.
  const update = await trialOf(file, folder)
  if (!update || update.from === null) return undefined
  const crashes = update.crashes + 1
  if (code !== 'late' && crashes <= crashesAllowed) {
    await file.write({ ...update, crashes })
    return undefined
  }
  const error =
    code === 'late'
      ? 'The new version had not proven itself in time, and was taken back'
      : `The new version ended with code ${code} ${crashes} times, and was taken back`
  await folders.flipTo(update.from)
  // Whoever dies here leaves an update that the old version begins once more.
  faultPoint('update.taken-back')
  await file.write({ ...update, phase: 'reverted', crashes, error })
  return error
}

/** The exit code, or `late` for a new version that is still on trial after its time. */
async function runChild(
  file: string,
  stop: AbortSignal,
  limitMs: number | undefined,
  isOnTrial: () => Promise<boolean>,
): Promise<number | 'late'> {
  // The channel tells the child when its supervisor is gone, however it ended.
  const child = spawn(process.execPath, [file, 'run'], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const ended = once(child, 'exit').then(([code]) => (code as number | null) ?? 1)
  const end = () => endChild(child)
  stop.addEventListener('abort', end)
  if (stop.aborted) end()
  let isLate = false
  const endIfLate = async () => {
    isLate = await isOnTrial()
    if (isLate) end()
  }
  const timer = limitMs === undefined ? undefined : setTimeout(endIfLate, limitMs)
  try {
    const code = await ended
    return isLate ? 'late' : code
  } finally {
    clearTimeout(timer)
    stop.removeEventListener('abort', end)
  }
}

function endChild(child: ChildProcess): void {
  child.kill('SIGTERM')
  setTimeout(() => child.kill('SIGKILL'), killAfterMs).unref()
}
