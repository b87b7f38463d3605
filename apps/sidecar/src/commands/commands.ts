import { createPublicKey, verify } from 'node:crypto'
import type { CommandResult, DeskCommand, SignedCommand } from '@crewhall/contracts/fleet/desk-protocol.ts'
import { commandBase } from '@crewhall/contracts/fleet/signature.ts'
import type { BuildLeases } from '../builds/leases.ts'
import type { Log } from '../log.ts'
import type { DeskRecord, RecordFile } from '../state/desk-record.ts'
import { commandFor } from './command.rules.ts'

type Outcome = Pick<CommandResult, 'outcome' | 'error'>

/** Carries out what the service signed for this desk, each command once, and remembers what became of it. */
export class Commands {
  readonly #file: RecordFile
  readonly #leases: BuildLeases
  readonly #log: Log
  #record: DeskRecord

  constructor(file: RecordFile, record: DeskRecord, leases: BuildLeases, log: Log) {
    this.#file = file
    this.#record = record
    this.#leases = leases
    this.#log = log
  }

  /** What the service does not know yet. */
  untold(most: number): CommandResult[] {
    const untold = this.#record.results.filter(({ is_told }) => !is_told).slice(0, most)
    return untold.map(({ is_told: _, ...result }) => result)
  }

  async told(results: readonly CommandResult[]): Promise<void> {
    if (results.length === 0) return
    const ids = new Set(results.map(({ id }) => id))
    await this.#keep(
      this.#record.results.map((each) => (ids.has(each.id) ? { ...each, is_told: true } : each)),
    )
  }

  async quarantine(): Promise<void> {
    this.#record = { ...this.#record, is_quarantined: true }
    await this.#file.write(this.#record)
  }

  async take(signed: SignedCommand, serverTime: string): Promise<void> {
    const command = this.#isSigned(signed)
      ? commandFor(this.#record.env_id, signed.payload, serverTime)
      : undefined
    if (command === undefined) return this.#log.warn('a command was ignored: it is not for this desk now')
    const { results } = this.#record
    // The service has not heard what became of it.
    if (results.some(({ id }) => id === command.id))
      return this.#keep(results.map((each) => (each.id === command.id ? { ...each, is_told: false } : each)))
    const outcome = await this.#carryOut(command)
    this.#log.info('command', { id: command.id, kind: command.kind, ...outcome })
    await this.#keep([...results, { id: command.id, ...outcome, is_told: false }])
  }

  #isSigned({ payload, signature }: SignedCommand): boolean {
    const key = createPublicKey({
      key: { kty: 'OKP', crv: 'Ed25519', x: this.#record.command_key },
      format: 'jwk',
    })
    return verify(null, Buffer.from(commandBase(payload)), key, Buffer.from(signature, 'base64url'))
  }

  async #carryOut(command: DeskCommand): Promise<Outcome> {
    if (command.kind !== 'drain') return { outcome: 'refused', error: 'This sidecar cannot do that yet' }
    try {
      await (command.is_on ? this.#leases.raiseBarrier() : this.#leases.lowerBarrier())
      return { outcome: 'done', error: null }
    } catch (error) {
      return { outcome: 'failed', error: String(error).slice(0, 500) }
    }
  }

  async #keep(results: DeskRecord['results']): Promise<void> {
    this.#record = { ...this.#record, results }
    await this.#file.write(this.#record)
  }
}
