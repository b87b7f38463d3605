import type {
  CommandResult,
  DeskCommand,
  NewCommandKey,
  SidecarBundle,
  SignedCommand,
} from '@crewhall/contracts/fleet/desk-protocol.ts'
import { commandBase, commandKeyBase } from '@crewhall/contracts/fleet/signature.ts'
import type { BuildLeases } from '../builds/leases.ts'
import type { Log } from '../log.ts'
import { isSignedBy } from '../signed-by.ts'
import type { DeskRecord, RecordFile } from '../state/desk-record.ts'
import { nextFloor } from '../updates/bundle.rules.ts'
import type { Outcome, Updater } from '../updates/updater.ts'
import { commandFor } from './command.rules.ts'

interface CommandParts {
  readonly file: RecordFile
  readonly record: DeskRecord
  readonly leases: BuildLeases
  readonly log: Log
  /** Undefined where the settings allow no updates. */
  readonly updater: Pick<Updater, 'begin'> | undefined
  /** Whether the hub has answered to another key; undefined where this desk is in no private network. */
  rotateKey(): Promise<boolean | undefined>
  /** The last lines of the log, to the service. */
  sendLogs(): Promise<void>
}

/** Carries out what the service signed for this desk, each command once, and remembers what became of it. */
export class Commands {
  readonly #parts: CommandParts
  #record: DeskRecord
  #written: Promise<void> = Promise.resolve()

  constructor(parts: CommandParts) {
    this.#parts = parts
    this.#record = parts.record
  }

  get command_key(): string {
    return this.#record.command_key
  }

  get floor(): string | null {
    return this.#record.floor
  }

  /** What the service does not know yet. */
  untold(most: number): CommandResult[] {
    const untold = this.#record.results.filter(({ is_told }) => !is_told).slice(0, most)
    return untold.map(({ is_told: _, ...result }) => result)
  }

  async told(results: readonly CommandResult[]): Promise<void> {
    if (results.length === 0) return
    // Of an update, more may have become known meanwhile.
    const isTold = ({ id, outcome }: CommandResult) =>
      results.some((each) => each.id === id && each.outcome === outcome)
    await this.#change({
      results: this.#record.results.map((each) => (isTold(each) ? { ...each, is_told: true } : each)),
    })
  }

  async quarantine(): Promise<void> {
    await this.#change({ is_quarantined: true })
  }

  async release(): Promise<void> {
    await this.#change({ is_released: true })
  }

  async raiseFloor(bundle: SidecarBundle): Promise<void> {
    await this.#change({ floor: nextFloor(this.#record.floor, bundle) })
  }

  /** Only the key that is known can say which one is next. */
  async adoptKey({ key, signature }: NewCommandKey): Promise<void> {
    const { env_id, command_key } = this.#record
    if (!isSignedBy(command_key, commandKeyBase(env_id, key), signature))
      return this.#parts.log.warn('a new command key was ignored: it is not signed by the one before')
    await this.#change({ command_key: key })
    this.#parts.log.info('commands are signed with a new key')
  }

  async take(signed: SignedCommand, serverTime: string): Promise<void> {
    const { log } = this.#parts
    const { command_key, env_id } = this.#record
    const command = isSignedBy(command_key, commandBase(signed.payload), signed.signature)
      ? commandFor(env_id, signed.payload, serverTime)
      : undefined
    if (command === undefined) return log.warn('a command was ignored: it is not for this desk now')
    const known = this.#record.results.find(({ id }) => id === command.id)
    // The service has not heard what became of it.
    const outcome = known ?? (await this.#carryOut(command))
    if (!known) log.info('command', { id: command.id, kind: command.kind, ...outcome })
    await this.note(command.id, outcome)
  }

  /** What became of a command, to be told with the next beat. */
  async note(id: string, { outcome, error }: Outcome): Promise<void> {
    const others = this.#record.results.filter((each) => each.id !== id)
    await this.#change({ results: [...others, { id, outcome, error, is_told: false }] })
  }

  async #carryOut(command: DeskCommand): Promise<Outcome> {
    const { leases, updater, rotateKey, sendLogs } = this.#parts
    try {
      if (command.kind === 'update')
        return (await updater?.begin(command.id, command.bundle)) ?? refused('This desk takes no updates')
      if (command.kind === 'rotate_key') return ofRotation(await rotateKey())
      if (command.kind === 'collect_logs') await sendLogs()
      else await (command.is_on ? leases.raiseBarrier('drain') : leases.lowerBarrier('drain'))
      return { outcome: 'done', error: null }
    } catch (error) {
      return { outcome: 'failed', error: String(error).slice(0, 500) }
    }
  }

  /** Beats and updates change it side by side; one writes after the other, and the last one all of it. */
  async #change(change: Partial<DeskRecord>): Promise<void> {
    this.#record = { ...this.#record, ...change }
    const written = this.#written.then(() => this.#parts.file.write(this.#record))
    this.#written = written.catch(() => undefined)
    await written
  }
}

function ofRotation(isDone: boolean | undefined): Outcome {
  if (isDone === undefined) return refused('This desk is in no private network')
  return isDone
    ? { outcome: 'done', error: null }
    : { outcome: 'failed', error: 'The hub has not answered to another key' }
}

const refused = (error: string): Outcome => ({ outcome: 'refused', error })
