import { createHash } from 'node:crypto'

/** Stands in the text of a statement where a value goes. */
export class Parameter {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

/** SQL with its parameters in place. */
export class Sql {
  readonly pieces: readonly (string | Parameter)[]
  constructor(pieces: readonly (string | Parameter)[]) {
    this.pieces = pieces
  }
}

/** Joins text, parameters and smaller pieces of SQL. Strings are part of the text: only constants belong there. */
export function sql(texts: TemplateStringsArray, ...between: readonly (string | Parameter | Sql)[]): Sql {
  const pieces = between.flatMap((piece, at) => [
    ...(piece instanceof Sql ? piece.pieces : [piece]),
    texts[at + 1] as string,
  ])
  return new Sql([texts[0] as string, ...pieces])
}

/** A list, such as the values of an insert or the assignments of an update. */
export const joined = (pieces: readonly (string | Parameter | Sql)[], by = ', '): Sql =>
  new Sql(
    pieces.flatMap((piece, at) => [
      ...(at > 0 ? [by] : []),
      ...(piece instanceof Sql ? piece.pieces : [piece]),
    ]),
  )

/** The parameters by name, for the function that writes the text. */
export type Named<Params> = { readonly [Name in keyof Params]-?: Parameter }

interface Prepared<Params, Row> {
  /** A digest of the text: Postgres parses and plans it once for a connection. */
  readonly name: string
  readonly is_custom_plan: boolean
  readonly sql: string
  bind(params: Params, brandId?: number): unknown[]
  /** Carries the row type; never set. */
  readonly row?: Row
}
/** A statement built once. */
export interface Statement<Params, Row> extends Prepared<Params, Row> {
  readonly binds_brand: false
}
/** One that takes `brand_id` from the context it runs in; only the context of a workspace can run it. */
export interface BrandStatement<Params, Row> extends Prepared<Params, Row> {
  readonly binds_brand: true
}

export interface StatementOptions {
  /** Sent unnamed, so that Postgres plans it for these very values (skewed tenants, full-text search). */
  readonly custom_plan?: boolean
}

export const statement = <Params extends object, Row>(
  write: (p: Named<Params>) => Sql,
  options?: StatementOptions,
): Statement<Params, Row> => new Made<Params, Row, false>(write, false, options)

export const brandStatement = <Params extends object, Row>(
  write: (p: Named<Params & { brand_id: number }>) => Sql,
  options?: StatementOptions,
): BrandStatement<Params, Row> => new Made<Params, Row, true>(write, true, options)

/** Written out when it is first run: a process starts with some thousand statements, of which it needs a few. */
class Made<Params extends object, Row, BindsBrand extends boolean> implements Prepared<Params, Row> {
  readonly binds_brand: BindsBrand
  readonly is_custom_plan: boolean
  readonly row?: Row
  readonly #write: (p: never) => Sql
  #written: Written | undefined

  constructor(
    write: (p: never) => Sql,
    bindsBrand: BindsBrand,
    { custom_plan = false }: StatementOptions = {},
  ) {
    this.#write = write
    this.binds_brand = bindsBrand
    this.is_custom_plan = custom_plan
    madeStatements.push(this)
  }

  get sql(): string {
    return this.#text.sql
  }

  get name(): string {
    return this.#text.name
  }

  bind(params: Params, brandId?: number): unknown[] {
    return this.#text.parameters.map((name) =>
      name === 'brand_id' && brandId !== undefined ? brandId : params[name as keyof Params],
    )
  }

  get #text(): Written {
    this.#written ??= writtenOut(this.#write)
    return this.#written
  }
}

interface Written {
  readonly sql: string
  readonly name: string
  /** In the order of their numbers. */
  readonly parameters: readonly string[]
}

function writtenOut(write: (p: never) => Sql): Written {
  const named = new Proxy({}, { get: (_, name) => new Parameter(String(name)) })
  const parameters: string[] = []
  const text = write(named as never)
    .pieces.map((piece) =>
      typeof piece === 'string' ? constant(piece) : `$${place(parameters, piece.name)}`,
    )
    .join('')
  return { sql: text, name: statementName(text), parameters }
}

/** Every statement made so far, so that `npm run sql` can show what a store really sends. */
export const madeStatements: { readonly sql: string }[] = []

function constant(text: string): string {
  if (/\$\d/.test(text)) throw new Error(`name the parameters of a statement: ${text}`)
  return text
}

/** A parameter used several times is sent once. */
function place(names: string[], name: string): number {
  const known = names.indexOf(name)
  return known < 0 ? names.push(name) : known + 1
}

export const statementName = (text: string): string =>
  `s_${createHash('sha256').update(text).digest('hex').slice(0, 24)}`
