import pg from 'pg'

interface Field {
  readonly name: string
  readonly dataTypeID: number
}
interface Types {
  getTypeParser(oid: number, format: 'text'): (value: string) => unknown
}
/** What the rows of a prepared statement look like; undefined for one that has none. */
interface Shape {
  readonly names: readonly string[]
  readonly parsers: readonly ((value: string) => unknown)[]
}

/** The parts of the driver that its types leave out. */
interface DriverConnection {
  readonly parsedStatements: Readonly<Record<string, string | undefined>>
  readonly stream: { cork(): void; uncork(): void }
  bind(message: {
    readonly portal: string
    readonly statement: string
    readonly values: readonly unknown[]
  }): void
  describe(message: { readonly type: 'P'; readonly name: string }): void
  execute(message: { readonly portal: string }): void
  sync(): void
}
interface DriverQuery {
  readonly _result: { readonly _types: Types }
  callback?: (error: Error | null) => void
  submit(connection: DriverConnection): Error | null
}
const driver = pg as unknown as { readonly utils: { prepareValue(value: unknown): unknown } }
const DriverQuery = pg.Query as unknown as new (text: string) => DriverQuery

interface Prepared {
  readonly name: string
  readonly values: readonly unknown[]
}

/** By connection and name. A prepared statement fails rather than change the shape of its rows. */
const shapes = new WeakMap<object, Map<string, Shape | undefined>>()

function shapesOf(connection: object): Map<string, Shape | undefined> {
  let known = shapes.get(connection)
  if (!known) {
    known = new Map()
    shapes.set(connection, known)
  }
  return known
}

/**
 * Prepared statements that are sent together and return together: one packet each way, because only one Sync follows
 * them. Outside `begin` and `commit` Postgres runs them as one transaction. A Sync after each, as the driver sends it,
 * costs a system call in Postgres and often a wake-up here, which is more than most statements cost. Row descriptions are
 * requested once.
 */
export class JointQuery extends DriverQuery {
  readonly #all: readonly Prepared[]
  #shapes: Map<string, Shape | undefined> = new Map()
  /** Index of the statement that the next message belongs to. */
  #at = 0
  #shape: Shape | undefined
  #rows: unknown[] = []
  #broken: Error | undefined
  /** Of the statements that were carried out, in their order; where one failed, of those before it. */
  readonly results: pg.QueryResult[] = []
  /** Called after each statement. */
  stepped: (() => void) | undefined

  private constructor(all: readonly Prepared[]) {
    // Where it names one, the driver takes it for the statement that is being prepared.
    super('')
    this.#all = all
  }

  /** Nothing unless all are known to the connection: the driver can follow the preparation of one statement only. */
  static of(client: pg.ClientBase, configs: readonly pg.QueryConfig[]): JointQuery | undefined {
    if (configs.length === 0 || !configs.every(({ name }) => JointQuery.isKnown(client, name)))
      return undefined
    return new JointQuery(configs.map(({ name = '', values = [] }) => ({ name, values })))
  }

  static isKnown(client: pg.ClientBase, name: string | undefined): boolean {
    if (name === undefined) return false
    const { parsedStatements } = (client as unknown as { connection: DriverConnection }).connection
    return parsedStatements[name] !== undefined
  }

  override submit(connection: DriverConnection): Error | null {
    this.#shapes = shapesOf(connection)
    let bound: unknown[][]
    try {
      // All of them before the first is sent: half of a packet would be answered as if it were the whole.
      bound = this.#all.map(({ values }) => values.map((value) => driver.utils.prepareValue(value)))
    } catch (error) {
      return error as Error
    }
    connection.stream.cork()
    for (const [at, { name }] of this.#all.entries()) {
      connection.bind({ portal: '', statement: name, values: bound[at] ?? [] })
      if (!this.#shapes.has(name)) connection.describe({ type: 'P', name: '' })
      connection.execute({ portal: '' })
    }
    connection.sync()
    connection.stream.uncork()
    this.#shape = this.#shapes.get(this.#name)
    return null
  }

  get #name(): string {
    return this.#all[this.#at]?.name ?? ''
  }

  handleRowDescription({ fields }: { readonly fields: readonly Field[] }): void {
    const types = this._result._types
    this.#shape = {
      names: fields.map(({ name }) => name),
      parsers: fields.map(({ dataTypeID }) => types.getTypeParser(dataTypeID, 'text')),
    }
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    if (!this.#shape || this.#broken) return
    const { names, parsers } = this.#shape
    const row: Record<string, unknown> = {}
    try {
      for (let at = 0; at < names.length; at += 1) {
        const value = fields[at] ?? null
        row[names[at] as string] = value === null ? null : parsers[at]?.(value)
      }
      this.#rows.push(row)
    } catch (error) {
      this.#broken = error as Error
    }
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    if (!this.#shapes.has(this.#name)) this.#shapes.set(this.#name, this.#shape)
    const words = text.split(' ')
    const count = Number(words.at(-1))
    const rowCount = words.length > 1 && Number.isInteger(count) ? count : null
    if (!this.#broken)
      this.results.push({ command: words[0] ?? '', rowCount, rows: this.#rows, oid: 0, fields: [] })
    this.#rows = []
    this.#at += 1
    this.#shape = this.#shapes.get(this.#name)
    this.stepped?.()
  }

  handleError(error: Error): void {
    this.callback?.(error)
  }

  handleReadyForQuery(): void {
    this.callback?.(this.#broken ?? null)
  }
}
