import pg from 'pg'

interface Prepared {
  readonly name: string
  readonly values: unknown[]
}

interface Message {
  readonly text?: string
}

/** The parts of the driver that its types leave out. */
interface DriverConnection {
  readonly parsedStatements: Readonly<Record<string, string | undefined>>
  bind(message: {
    portal: string
    statement: string
    values: unknown[]
    valueMapper(value: unknown): unknown
  }): void
  execute(message: { portal: string }): void
}
interface DriverQuery extends pg.Submittable {
  readonly _result: pg.QueryResult & { _types?: unknown }
  prepare(connection: DriverConnection): void
  handleRowDescription(message: Message): void
  handleDataRow(message: Message): void
  handleCommandComplete(message: Message, connection: DriverConnection): void
}
const DriverQuery = pg.Query as unknown as new (config: pg.QueryConfig) => DriverQuery

/**
 * Prepared statements that Postgres carries out as one transaction, because only one Sync follows them: one that
 * enters, whose answer nobody asked for, and those it is entered for. `begin` and `commit` around them are two more
 * statements to send and to answer. With those, reading one row took twice the processor time, and half as many
 * reads fitted into a second.
 */
export class EnteredQuery extends DriverQuery {
  readonly #first: Prepared
  readonly #earlier: readonly DriverQuery[]
  /** Which statement the next message answers; below zero until it was entered. */
  #at = -1
  /** Called after each of several statements. */
  stepped: (() => void) | undefined

  constructor(first: Prepared, last: pg.QueryConfig, earlier: readonly pg.QueryConfig[] = []) {
    super(last)
    this.#first = first
    this.#earlier = earlier.map((config) => new DriverQuery(config))
  }

  /** All must be known to the connection: the driver can follow the preparation of one statement only. */
  static isPossible(client: pg.ClientBase, ...names: (string | undefined)[]): boolean {
    const { parsedStatements } = (client as unknown as { connection: DriverConnection }).connection
    return names.every((name) => parsedStatements[name ?? ''] !== undefined)
  }

  /** Of all statements, in their order. */
  get results(): pg.QueryResult[] {
    return [...this.#earlier, this].map(({ _result }) => _result)
  }

  override prepare(connection: DriverConnection): void {
    const { name, values } = this.#first
    connection.bind({ portal: '', statement: name, values, valueMapper: textOf })
    connection.execute({ portal: '' })
    if (this.#earlier.length > 0) {
      const unsynced = Object.assign(Object.create(connection), { sync: () => {} })
      for (const query of this.#earlier) {
        query._result._types = this._result._types
        query.prepare(unsynced)
      }
    }
    super.prepare(connection)
  }

  override handleRowDescription(message: Message): void {
    const earlier = this.#earlier[this.#at]
    if (earlier) earlier.handleRowDescription(message)
    else super.handleRowDescription(message)
  }

  // Entering answers with a row and with its end; then come the real ones.
  override handleDataRow(message: Message): void {
    if (this.#at < 0) return
    const earlier = this.#earlier[this.#at]
    if (earlier) earlier.handleDataRow(message)
    else super.handleDataRow(message)
  }

  override handleCommandComplete(message: Message, connection: DriverConnection): void {
    if (this.#at >= 0) {
      const earlier = this.#earlier[this.#at]
      if (earlier) {
        earlier.handleCommandComplete(message, connection)
        this.stepped?.()
      } else super.handleCommandComplete(message, connection)
    }
    this.#at += 1
  }
}

const textOf = (value: unknown): unknown => (value === null || value === undefined ? null : String(value))
