import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface StrictPooler {
  /** The given address with this one in place of its host and port. */
  through(url: string): string
  /** What connections that were let in call themselves. */
  readonly names: ReadonlySet<string>
  /** Parameters for which connections were refused. */
  readonly refused: ReadonlySet<string>
  /** Names that a connection prepared twice, for which it was ended. */
  readonly repeated: ReadonlySet<string>
  close(): Promise<void>
}

/** What PgBouncer takes at the start of a connection; it refuses all others. */
const taken = new Set(['user', 'database', 'client_encoding', 'application_name', 'options'])

/**
 * Refuses the connections that PgBouncer in transaction mode refuses, in its words, and carries all others: for tests that
 * need no pooling, only to know what goes through a pooler. The real one runs in `.ci/drills compose`.
 */
export async function startStrictPooler(target: { host: string; port: number }): Promise<StrictPooler> {
  const names = new Set<string>()
  const refused = new Set<string>()
  const repeated = new Set<string>()
  const server = createServer((near) => {
    near.on('error', () => {})
    near.once('data', (first: Buffer) => {
      const parameters = startParameters(first)
      const [bad] = [...parameters].filter(
        ([name, value]) => !taken.has(name) || isForeignOption(name, value),
      )
      if (bad) {
        refused.add(bad[0] === 'options' ? bad[1] : bad[0])
        near.end(refusal(`unsupported startup parameter: ${bad[0]}`))
        return
      }
      const name = parameters.get('application_name')
      if (name !== undefined) names.add(name)
      const far = connect(target)
      far.on('error', () => near.destroy())
      near.on('close', () => far.destroy())
      far.on('close', () => near.destroy())
      far.write(first)
      watchNames(near, (prepared) => {
        repeated.add(prepared)
        near.end(refusal('prepared statement name is already in use'))
      })
      near.pipe(far).pipe(near)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    through: (url) => Object.assign(new URL(url), { host: `127.0.0.1:${port}` }).href,
    names,
    refused,
    repeated,
    async close() {
      server.close()
    },
  }
}

/** It follows the time zone of each client; other settings in the options it does not. */
const isForeignOption = (name: string, value: string): boolean =>
  name === 'options' && value.replace('-c TimeZone=UTC', '').trim() !== ''

/** A cancel request has none. */
function startParameters(message: Buffer): Map<string, string> {
  if (message.readInt32BE(4) !== 196_608) return new Map()
  const texts = message.subarray(8).toString().split('\0')
  const parameters = new Map<string, string>()
  for (let at = 0; texts[at]; at += 2) parameters.set(texts[at] ?? '', texts[at + 1] ?? '')
  return parameters
}

/** Calls when a name is prepared that was prepared before, whether or not the server took it: so does PgBouncer. */
function watchNames(near: Socket, onRepeated: (name: string) => void): void {
  const known = new Set<string>()
  let rest = Buffer.alloc(0)
  near.on('data', (bytes: Buffer) => {
    rest = Buffer.concat([rest, bytes])
    while (rest.length >= 5 && rest.length > rest.readInt32BE(1)) {
      const end = rest.readInt32BE(1) + 1
      if (rest.toString('latin1', 0, 1) === 'P') {
        const name = rest.toString('utf8', 5, rest.indexOf(0, 5))
        if (name !== '' && known.has(name)) onRepeated(name)
        known.add(name)
      }
      rest = rest.subarray(end)
    }
  })
}

function refusal(message: string): Buffer {
  const body = Buffer.from(`SFATAL\0C08P01\0M${message}\0\0`)
  const head = Buffer.alloc(5)
  head.write('E')
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}
