import { createHash } from 'node:crypto'
import {
  type CompiledQuery,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely'

/** A statement compiled once. Its name is a digest of its text, so Postgres parses and plans it once too. */
export interface Statement<Params, Row> {
  readonly name: string
  readonly sql: string
  bind(params: Params): unknown[]
  /** Carries the row type; never set. */
  readonly row?: Row
}

interface Compilable<Row> {
  compile(): CompiledQuery<Row>
}

class Placeholder {
  readonly key: string
  constructor(key: string) {
    this.key = key
  }
}

/** Kysely as a compiler only. Running statements is the business of `Database`. */
export function compilerFor<Tables>(): Kysely<Tables> {
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })
}

/**
 * Builds a statement at start-up. Kysely compiles on every call otherwise, which costs more than the
 * query. The parameters are stand-ins here; `bind` puts the values of a call in their places.
 */
export function statement<Tables, Params extends object = Record<never, never>>() {
  return <Row>(build: (db: Kysely<Tables>, p: Params) => Compilable<Row>): Statement<Params, Row> => {
    const stand = new Proxy({}, { get: (_, key) => new Placeholder(String(key)) }) as Params
    const { sql, parameters } = build(compilerFor<Tables>(), stand).compile()
    const places = parameters.map((value) => (value instanceof Placeholder ? value.key : undefined))
    return recorded({
      name: statementName(sql),
      sql,
      bind: (params) =>
        places.map((key, at) => (key === undefined ? parameters[at] : params[key as keyof Params])),
    })
  }
}

/** For statements that are easier to read as SQL than as builder calls; parameters in the order of `keys`. */
export function sqlStatement<Params extends object, Row>(
  sql: string,
  ...keys: (keyof Params)[]
): Statement<Params, Row> {
  return recorded({ name: statementName(sql), sql, bind: (params) => keys.map((key) => params[key]) })
}

/** Every statement made so far, so that `npm run gen` can show reviewers what each store really sends. */
export const madeStatements: { readonly sql: string }[] = []

function recorded<Params, Row>(made: Statement<Params, Row>): Statement<Params, Row> {
  madeStatements.push(made)
  return made
}

const names = new Map<string, string>()

export function statementName(sql: string): string {
  let name = names.get(sql)
  if (name === undefined) {
    name = `s_${createHash('sha256').update(sql).digest('hex').slice(0, 24)}`
    // Statement texts are constant, so this stays small; the bound is for the day that one is not.
    if (names.size > 5000) names.clear()
    names.set(sql, name)
  }
  return name
}
