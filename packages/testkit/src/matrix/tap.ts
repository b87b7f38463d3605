import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Replaces a part of a statement on its way to Postgres, as a mistake in the source would have. */
export interface Rewrite {
  readonly find: string
  readonly put: string
}

export interface StatementTap {
  through(url: string): string
  /** What was sent since the last call: one entry for each transaction, or statement outside of one. */
  take(): string[]
  /** Takes effect at once: open connections end, because they have parsed their statements already. */
  rewrite(rewrites: readonly Rewrite[]): void
  /** How many statements have been changed. */
  rewritten(): number
  close(): Promise<void>
}

/** Stands before Postgres and reads what the request pool of the API sends (protocol 3, no TLS). */
export async function startStatementTap(target: { host: string; port: number }): Promise<StatementTap> {
  let sent: string[] = []
  let rewrites: readonly Rewrite[] = []
  let changes = 0
  const open = new Set<Socket>()
  const change = (sql: string): string => {
    // How a statement is broken into lines is nothing that a test should know.
    const before = sql.replace(/\s+/g, ' ')
    let text = before
    for (const { find, put } of rewrites) text = text.replaceAll(find, put)
    if (text === before) return sql
    changes += 1
    return text
  }
  const server = createServer({ noDelay: true }, (near) => {
    const far = connect({ ...target, noDelay: true })
    const reader = new FrontendReader(change, (group) => sent.push(group))
    for (const [socket, peer] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        open.delete(socket)
        peer.destroy()
      })
    }
    near.on('data', (bytes: Buffer) => far.write(reader.read(bytes)))
    far.on('data', (bytes) => near.write(bytes))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    through: (url) => Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(port) }).href,
    take() {
      const taken = sent
      sent = []
      return taken
    },
    rewrite(next) {
      rewrites = next
      for (const socket of open) socket.destroy()
    },
    rewritten: () => changes,
    async close() {
      for (const socket of open) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

const requestPool = 'crewhall-api'

class FrontendReader {
  readonly #change: (sql: string) => string
  readonly #report: (group: string) => void
  readonly #texts = new Map<string, string>()
  #rest: Buffer = Buffer.alloc(0)
  #isStarted = false
  #isWatched = false
  /** Statements of the transaction that `begin` has opened. */
  #group: string[] | undefined
  /** Statements since the last Sync outside of one: Postgres makes them one transaction. */
  #batch: string[] = []

  constructor(change: (sql: string) => string, report: (group: string) => void) {
    this.#change = change
    this.#report = report
  }

  /** Takes what the client wrote and returns what goes on to the server; whole messages only. */
  read(bytes: Buffer): Buffer {
    this.#rest = Buffer.concat([this.#rest, bytes])
    const out: Buffer[] = []
    for (;;) {
      // The first message of a connection has no type.
      const head = this.#isStarted ? 1 : 0
      if (this.#rest.length < head + 4) break
      const end = head + this.#rest.readInt32BE(head)
      if (this.#rest.length < end) break
      const message = this.#rest.subarray(0, end)
      this.#rest = this.#rest.subarray(end)
      out.push(this.#isStarted ? this.#message(message) : this.#start(message))
    }
    return Buffer.concat(out)
  }

  #start(message: Buffer): Buffer {
    this.#isStarted = true
    this.#isWatched = message.includes(`application_name\0${requestPool}\0`)
    return message
  }

  #message(message: Buffer): Buffer {
    if (!this.#isWatched) return message
    const type = String.fromCharCode(message[0] ?? 0)
    const texts = message.subarray(5)
    if (type === 'Q') this.#ran(stringAt(texts, 0))
    if (type === 'B') this.#ran(this.#texts.get(stringAt(texts, stringAt(texts, 0).length + 1)) ?? 'unknown')
    if (type === 'S' || type === 'Q') this.#synced()
    if (type !== 'P') return message
    const name = stringAt(texts, 0)
    const sql = stringAt(texts, name.length + 1)
    const text = this.#change(sql)
    this.#texts.set(name, text)
    if (text === sql) return message
    const types = texts.subarray(Buffer.byteLength(name) + Buffer.byteLength(sql) + 2)
    const body = Buffer.concat([Buffer.from(`${name}\0${text}\0`), types])
    const header = Buffer.from('P\0\0\0\0', 'latin1')
    header.writeInt32BE(body.length + 4, 1)
    return Buffer.concat([header, body])
  }

  /** Both ways to write a transaction are reported alike, because which is used depends on the connection. */
  #ran(sql: string): void {
    if (/^begin\b/.test(sql)) this.#group = []
    else if (this.#group === undefined) this.#batch.push(sql)
    else if (sql !== 'commit' && sql !== 'rollback') this.#group.push(sql)
    else {
      this.#reported(sql === 'rollback' ? [...this.#group, sql] : this.#group)
      this.#group = undefined
    }
  }

  #synced(): void {
    this.#reported(this.#batch)
    this.#batch = []
  }

  #reported(statements: readonly string[]): void {
    if (statements.length > 0) this.#report(statements.join(';\n'))
  }
}

const stringAt = (bytes: Buffer, from: number): string =>
  bytes.subarray(from, bytes.indexOf(0, from)).toString()
