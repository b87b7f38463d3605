import type { Command } from 'commander'
import type { Context } from '../context.ts'

/** A command that is more than one route. */
export interface SpecialCommand {
  readonly words: string
  readonly summary: string
  /** For other programs; no help tells of it. */
  readonly is_hidden?: boolean
  readonly description?: string
  /** Fields of what it prints, for `--json` without a value. */
  readonly fields?: readonly string[]
  declare?(command: Command): Command
  /** Returns the code to end with, where it is not that of success. */
  // biome-ignore lint/suspicious/noExplicitAny: flags are those that the command has declared.
  run(context: Context, positional: readonly string[], flags: any): Promise<number | undefined>
}
