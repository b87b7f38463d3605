import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { CommandResult, SidecarBundle } from '@crewhall/contracts/fleet/desk-protocol.ts'
import type { BuildLeases } from '../builds/leases.ts'
import type { FaultPoint } from '../fault-points.ts'
import { pause } from '../link/pause.ts'
import { retryWait } from '../link/waits.rules.ts'
import type { Log } from '../log.ts'
import type { OwnCode } from '../own-code.ts'
import type { Settings } from '../settings.ts'
import { faultOfBundle } from './bundle.rules.ts'
import type { Update, UpdateFile } from './update-file.ts'
import { folderOf, sha256Of, type VersionFolders } from './version-folders.ts'

export type Outcome = Pick<CommandResult, 'outcome' | 'error'>

export interface UpdaterParts {
  readonly settings: NonNullable<Settings['updates']>
  readonly code: OwnCode
  readonly folders: VersionFolders
  readonly file: UpdateFile
  readonly leases: BuildLeases
  readonly log: Log
  readonly stop: AbortSignal
  readonly faultPoint: FaultPoint
  /** The bytes of a bundle, no more than it has. */
  fetchBundle(bundle: SidecarBundle): Promise<Uint8Array>
  floor(): string | null
  /** Keeps what became of the command, and lets the service know soon. */
  tell(id: string, outcome: Outcome): Promise<void>
  /** Keeps the floor of a version that has proven itself. */
  proven(bundle: SidecarBundle): Promise<void>
  /** Ends this process, so that the supervisor starts what the link points to. */
  restart(): void
}

const idleLookS = 0.5
const longestWaitS = 2 * 60 * 60
const fetchTries = 5

/**
 * Replaces this sidecar. Nothing is trusted before it is verified, no build is ended for it, and whatever this process was
 * doing when it died, the next one goes on from the file of the update.
 */
export class Updater {
  readonly #parts: UpdaterParts
  #work: Promise<void> = Promise.resolve()
  #isHeard = () => {}

  constructor(parts: UpdaterParts) {
    this.#parts = parts
  }

  /** For a command. Verified at once; the rest happens beside the beats. */
  async begin(commandId: string, bundle: SidecarBundle): Promise<Outcome> {
    const { file, settings, folders } = this.#parts
    const known = await file.read()
    if (known && known.command_id !== commandId) return refused('Another update is under way')
    const fault = faultOfBundle(bundle, { root_key: settings.root_key, floor: this.#parts.floor() })
    if (fault) return refused(fault)
    if (known) return accepted
    const from = (await folders.current()) ?? null
    const update: Update = { command_id: commandId, bundle, phase: 'accepted', from, crashes: 0, error: null }
    await file.write(update)
    this.#parts.faultPoint('update.accepted')
    this.#start(() => this.#carryOut(update))
    return accepted
  }

  /** After a start: goes on with what the last process was about. */
  async resume(): Promise<void> {
    const { file, code, leases } = this.#parts
    const update = await file.read()
    if (!update) return leases.lowerBarrier('update')
    this.#parts.faultPoint('update.resumed')
    if (update.phase === 'reverted')
      return this.#end(update, failed(update.error ?? 'The new version was taken back'))
    const isNew = update.phase === 'on_trial' && code.digest === update.bundle.sha256
    this.#start(() => (isNew ? this.#prove(update) : this.#carryOut(update)))
  }

  /** The service has heard this process. */
  heard(): void {
    this.#isHeard()
  }

  /** Settles when nothing is under way any more. */
  settled(): Promise<void> {
    return this.#work
  }

  #start(work: () => Promise<void>): void {
    const { log, stop } = this.#parts
    this.#work = work().catch((error: unknown) => {
      if (!stop.aborted) log.error('an update stopped; the next start goes on with it', { error })
    })
  }

  async #carryOut(update: Update): Promise<void> {
    const { folders, file, leases, stop, log, faultPoint } = this.#parts
    const folder = folderOf(update.bundle.version, update.bundle.sha256)
    const fault = (await this.#install(folder, update.bundle)) ?? (await this.#waitUntilIdle())
    if (stop.aborted) return
    if (fault !== undefined) return this.#end(update, failed(fault))
    // Asked for again: hours may have passed since it was written.
    if ((await folders.digestOf(folder)) !== update.bundle.sha256)
      return this.#end(update, failed('The file of the new version was changed on this machine'))
    await this.#parts.tell(update.command_id, { outcome: 'running', error: null })
    faultPoint('update.told')
    await file.write({ ...update, phase: 'on_trial', from: (await folders.current()) ?? null })
    faultPoint('update.noted')
    await folders.flipTo(folder)
    faultPoint('update.swapped')
    log.info('swapped', { to: folder, builds: await leases.count() })
    this.#parts.restart()
  }

  /** Undefined when the file is there, has the digest that was signed, and starts. */
  async #install(folder: string, bundle: SidecarBundle): Promise<string | undefined> {
    const { folders, faultPoint } = this.#parts
    if ((await folders.digestOf(folder)) !== bundle.sha256) {
      const bytes = await this.#fetch(bundle)
      if (typeof bytes === 'string') return bytes
      if (sha256Of(bytes) !== bundle.sha256) return 'The file does not have the digest that was signed'
      faultPoint('update.fetched')
      await folders.add(folder, bytes)
      faultPoint('update.unpacked')
    }
    const fault = await this.#tryOut(folders.fileIn(folder), bundle.version)
    faultPoint('update.verified')
    return fault
  }

  async #fetch(bundle: SidecarBundle): Promise<Uint8Array | string> {
    const { stop, log } = this.#parts
    for (let failures = 1; ; failures += 1) {
      try {
        return await this.#parts.fetchBundle(bundle)
      } catch (error) {
        if (stop.aborted) throw error
        log.warn('fetching the bundle failed', { error, failures })
        if (failures >= fetchTries) return 'The file could not be fetched'
        await pause(retryWait(failures, Math.random()), stop)
      }
    }
  }

  async #tryOut(file: string, version: string): Promise<string | undefined> {
    try {
      const { stdout } = await promisify(execFile)(process.execPath, [file, 'version'], { timeout: 20_000 })
      return stdout.trim() === version ? undefined : 'The file is of another version than was signed'
    } catch {
      return 'The new version does not start'
    }
  }

  /** No build begins from here on. Undefined once none runs. */
  async #waitUntilIdle(): Promise<string | undefined> {
    const { leases, stop, log } = this.#parts
    await leases.raiseBarrier('update')
    this.#parts.faultPoint('update.barred')
    const until = performance.now() + longestWaitS * 1000
    for (let isTold = false; !stop.aborted; isTold = true) {
      const builds = await leases.count()
      if (builds === 0) return undefined
      if (performance.now() > until) return 'Builds ran on this machine for two hours'
      if (!isTold) log.info('an update waits for builds', { builds })
      await pause(idleLookS, stop)
    }
    return undefined
  }

  /** This is the new version: it is kept if the service hears it and it lives on for a while. */
  async #prove(update: Update): Promise<void> {
    const { settings, stop, folders, faultPoint } = this.#parts
    await new Promise<void>((resolve) => {
      this.#isHeard = resolve
      stop.addEventListener('abort', () => resolve())
    })
    faultPoint('update.heard')
    await pause(settings.probation_s, stop)
    if (stop.aborted) return
    await this.#parts.proven(update.bundle)
    faultPoint('update.proven')
    await this.#end(update, { outcome: 'done', error: null })
    await folders.keepOnly([folderOf(update.bundle.version, update.bundle.sha256), update.from ?? ''])
  }

  async #end(update: Update, outcome: Outcome): Promise<void> {
    const { file, leases, log, faultPoint } = this.#parts
    log.info('update ended', { version: update.bundle.version, ...outcome })
    // In this order: whatever is left undone, the next start finds the file and does it again.
    await this.#parts.tell(update.command_id, outcome)
    faultPoint('update.reported')
    await file.remove()
    faultPoint('update.forgotten')
    await leases.lowerBarrier('update')
  }
}

const accepted: Outcome = { outcome: 'accepted', error: null }
const refused = (error: string): Outcome => ({ outcome: 'refused', error })
const failed = (error: string): Outcome => ({ outcome: 'failed', error })
