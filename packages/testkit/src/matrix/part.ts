import type pg from 'pg'
import type { Mark } from '../canary.ts'

export type Get = (path: string, init?: RequestInit) => Promise<Response>
export type Workspace = 'one' | 'two' | 'three'
export type Value = string | number
/** An id for each kind of resource. */
export type Values = Readonly<Record<string, Value>>
export type Fields = Readonly<Record<string, unknown>>

export interface Person {
  readonly id: number
  readonly cookie: string
}

/** What the oracle knows of a caller: facts of the set-up, nothing that the server has said. */
export interface CallerFacts {
  readonly name: string
  readonly credential: 'session' | 'token' | 'none'
  /** Whether the credential is good. */
  readonly is_live: boolean
  readonly brand: Workspace | null
  readonly role: 'admin' | 'member' | null
  readonly scopes: readonly string[]
  /** The workspace whose docs space and board they can open without belonging to it. */
  readonly guest_of?: Workspace
  /** Whether the credential is one of a desk, which is good for routes of desks and for no other. */
  readonly is_desk?: boolean
}

export interface Caller extends CallerFacts {
  readonly person_id: number
  readonly headers: Readonly<Record<string, string>>
  /** More headers, for one call. */
  readonly sign?: (method: string, path: string, body: string) => Readonly<Record<string, string>>
}

export interface World {
  readonly brands: Readonly<Record<Workspace, number>>
  readonly marks: Readonly<Record<Workspace, Mark>>
  readonly admins: Readonly<Record<Workspace, Person>>
  /** A live token in each workspace that nobody may touch from outside. */
  readonly tokens: Readonly<Record<Workspace, string>>
  /** What stands for each resource in the workspace of the callers, and in the foreign one. */
  readonly values: { readonly one: Values; readonly three: Values }
  readonly callers: readonly Caller[]
}

/** Where rows are written, past the API. Every text of a workspace holds its mark. */
export interface Scene {
  /** A connection as superuser. */
  readonly admin: pg.Client
  readonly brand_id: number
  readonly mark: string
}

/** A workspace of the matrix that is being filled. */
export interface NewWorkspace extends Scene {
  readonly get: Get
  readonly owner: Person
  readonly token_id: string
  /** Somebody without a workspace, who is to become a guest of this one unless it is foreign. */
  readonly guest_id: number
  readonly is_foreign: boolean
}

/** A call that may use up what it names, in the workspace of the callers. */
export interface WritingCall extends Scene {
  readonly caller: Caller
  /** The kinds of resources that the route names. */
  readonly kinds: readonly string[]
  /** What is there already. */
  readonly own: Values
  /** What has been created for this call so far, in the order in which the route names it. */
  readonly made: Values
}

/** A kind of resource that a workspace, a guest or a caller has. */
export interface OwnedResource {
  /** An id that nothing has. */
  readonly missing: Value
  /**
   * Who it belongs to, where that is not the members of its workspace: `guests`, whom it is shared with and
   * nobody else, or `caller`, whichever workspace they are in.
   */
  readonly belongs_to?: 'guests' | 'caller'
  /** Creates one for a call that may use it up; without one, the call gets what is there already. */
  readonly fresh?: (call: WritingCall) => Promise<Value> | undefined
}

/**
 * What the platform has for everybody, such as the profiles of its catalog. No workspace owns one, so none is
 * foreign; a name that is not in the catalog has its own refusal.
 */
export interface CatalogResource {
  readonly own: string
  readonly missing: string
  readonly refused: number
}

/** What a module brings to the matrix; `parts.ts` lists them. */
export interface MatrixPart {
  /** Every kind of resource that the module's contracts are the first to name. */
  readonly resources?: Readonly<Record<string, OwnedResource | CatalogResource>>
  /** Bodies that are good but for their ids, for every route that takes one. */
  readonly bodies?: Readonly<Record<string, Fields | ((world: World) => Fields)>>
  /** Queries without which a route refuses every call. */
  readonly queries?: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** Ids outside the path that are refused with another status than 404, by `<route> <place>.<field>`. */
  readonly refused_as?: Readonly<Record<string, number>>
  /** Callers who are refused although everything is theirs. */
  readonly refused_to?: Readonly<Record<string, (caller: CallerFacts) => number | undefined>>
  /** Routes that end every other session of their person, so that each call needs a person of its own. */
  readonly ends_sessions?: readonly string[]
  /** What has to happen before a call that writes, where earlier calls leave too much behind. */
  readonly before?: Readonly<Record<string, (admin: pg.Client, caller: Caller) => Promise<unknown>>>
  /** Fills a workspace and returns what stands for each resource that is no catalog. */
  readonly rows?: (workspace: NewWorkspace) => Promise<Values>
  /** SQL that adds a row to each tenant table of the module for every brand there is. */
  readonly tenant_rows: string
  /** Tenant tables that `rows` leaves empty; there, only an added row would be noticed. */
  readonly empty_tables?: readonly string[]
}

/** The id of a resource that is counted, and of one that has a UUID. */
export const numbered = { missing: 2_000_000_000 } as const
export const identified = { missing: '00000000-0000-4000-8000-000000000000' } as const

/** Somebody who belongs to no workspace, for a call that lets them in as a guest. */
export const outsiderEmail = 'outsider@example.test'
