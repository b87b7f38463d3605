import type { Context } from '../context.ts'
import type { Page } from './pages.ts'
import type { RouteCommand, RouteFlags } from './route-command.ts'

/** Returns the code to end with, where it is not that of success. */
export type RouteHandler = (
  context: Context,
  command: RouteCommand,
  positional: readonly string[],
  flags: RouteFlags,
) => Promise<number | undefined>

/** How a route is offered as a command. All that is not said here comes from its contract. */
export interface RouteEntry {
  /** `card list`: the group and the verb. */
  readonly words: string
  /** The id of the route. */
  readonly route: string
  /** What the command does, where that is not what its route does. */
  readonly summary?: string
  /** Fields that are given by position, in this order; a question mark is for one that may be absent. */
  readonly takes?: readonly string[]
  /** Fields of a table, where the first ones of the contract are not the most telling. */
  readonly columns?: readonly string[]
  /** The field of the response that is the list, where it has several. */
  readonly list?: string
  /** The response is one thing, although it looks like a list. */
  readonly is_one?: boolean
  /** Sent always; there is no flag for them. */
  readonly fixed?: Readonly<Record<string, string | number | boolean>>
  readonly omits?: readonly string[]
  /** Names of flags for fields whose own name says too little. */
  readonly flags?: Readonly<Record<string, string>>
  /** Flags that are not fields of the contract, with their help. */
  readonly switches?: Readonly<Record<string, string>>
  /** An object of the body whose fields are flags of their own. */
  readonly spreads?: string
  /** Runs the command where it is more than its route. */
  readonly handler?: () => Promise<RouteHandler>
  /** The page of the dashboard that shows the same: `--web` opens it. */
  readonly page?: Page
  /** Asks first; by default what deletes. */
  readonly destroys?: boolean
}
