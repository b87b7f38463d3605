import type { AnyRoute } from '../route.ts'
import type { Piece } from './pieces.ts'

/** Names of the packages that come with the product. `core` is no package: its tools are always there. */
export const builtInPackages = ['boards', 'memory', 'lessons', 'workspace', 'desks', 'profiles'] as const
export type BuiltInPackage = (typeof builtInPackages)[number]

/** A method of a built-in package: one action, which stands for one route (VER-05). */
export interface ToolMethod {
  readonly package: BuiltInPackage
  readonly name: string
  /** The version of the package that brought it. */
  readonly since: string
}

/** What of a response a model reads. */
export type Presenter = (body: unknown, call: ToolCall) => readonly Piece[]

export type ArgumentValue = string | number | boolean

export interface ToolAction {
  readonly name: string
  /** The contract that it stands for: who may call, what it takes and what it returns. */
  readonly route: AnyRoute
  /** One line for models. */
  readonly summary: string
  readonly method?: ToolMethod
  /** Fields of the contract that are no arguments. */
  readonly omits?: readonly string[]
  /** Names of arguments for fields whose own name means something else in a tool. */
  readonly renames?: Readonly<Record<string, string>>
  /** Sent unless the caller says otherwise. */
  readonly defaults?: Readonly<Record<string, ArgumentValue>>
  /** Takes something away that no other action brings back, or from somebody else. */
  readonly is_destructive?: true
  readonly present?: Presenter
}

export interface Tool {
  /** Never with two underscores: those separate the prefix of an outside tool. */
  readonly name: string
  readonly title: string
  /** Which `toolsets` list it; `default` is what a caller gets without asking. */
  readonly toolset: string
  readonly package: BuiltInPackage | 'core'
  readonly description: string
  /** None: the gateway returns the text of `helpOf`. */
  readonly actions: readonly ToolAction[]
}

/** A request to the route of an action, as it would arrive over HTTP. */
export interface ToolCall {
  readonly tool: string
  readonly action: ToolAction
  readonly route: AnyRoute
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  readonly body: unknown
  /** Of the caller, sent as `Idempotency-Key`. */
  readonly key?: string
  /** The value of `If-Match`. */
  readonly if_match?: string
  /** How many characters of the text the caller has already read. */
  readonly offset: number
}

/** A call that stands for no request. */
export interface ToolFault {
  readonly fault: string
}

/** What a caller need not repeat in every call: the gateway knows it from the credential. */
export interface KnownToCaller {
  readonly brand_id?: number
  readonly agent_id?: string
}

export const isFault = (called: ToolCall | ToolFault): called is ToolFault => 'fault' in called
