import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

interface BoardGrant {
  readonly person_id: number
  readonly resource_id: string
  readonly name: string
  readonly role: string | null
}

/** How the service answers: well, or badly in one of the ways that services have. */
export type Mood =
  | 'well'
  /** Answers nothing at all. */
  | 'hangs'
  | 'cuts the connection'
  | 'fails'
  | 'talks nonsense'
  /** Good JSON that says something else. */
  | 'says something else'
  /** Does what it is told, and cuts the connection before it has said so. */
  | 'does it and cuts the connection'

export interface Boards {
  readonly url: string
  mood: Mood
  /** Only requests with this method feel the mood; undefined for all. */
  moody_method: string | undefined
  give(brand_id: number, grant: BoardGrant): void
  grantsOf(brand_id: number): readonly BoardGrant[]
  /** Nobody listens any more. */
  down(): Promise<void>
  up(): Promise<void>
}

/** A service of boards outside the product, at the wire, to fail in the ways in which services fail. */
export async function startBoards(): Promise<Boards> {
  const grants = new Map<number, BoardGrant[]>()
  let port = 0
  const perform = (method: string | undefined, brand_id: number, person_id: number) => {
    const all = grants.get(brand_id) ?? []
    if (method === 'GET') return { grants: all }
    const kept = all.filter((grant) => grant.person_id !== person_id)
    grants.set(brand_id, kept)
    return { removed: all.length - kept.length }
  }
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const { method } = request
    const [, , brand, , person] = request.url?.split('/') ?? []
    const mood = boards.moody_method === undefined || boards.moody_method === method ? boards.mood : 'well'
    const send = (status: number, text: string) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(text)
    if (mood === 'hangs') return
    if (mood === 'cuts the connection') return request.socket.destroy()
    if (mood === 'fails') return send(500, '{}')
    if (mood === 'talks nonsense') return send(200, '<html>It works!</html>')
    if (mood === 'says something else') {
      return send(200, JSON.stringify({ grants: [{ person_id: '1', resource_id: 'one' }], removed: -1 }))
    }
    const done = perform(method, Number(brand), Number(person))
    if (mood === 'does it and cuts the connection') return request.socket.destroy()
    send(200, JSON.stringify(done))
  }
  const listen = () => {
    const server = createServer(answer)
    return new Promise<typeof server>((resolve) => server.listen(port, '127.0.0.1', () => resolve(server)))
  }
  let server = await listen()
  port = (server.address() as AddressInfo).port
  // The test process ends without waiting for it.
  server.unref()
  const boards: Boards = {
    url: `http://127.0.0.1:${port}`,
    mood: 'well',
    moody_method: undefined,
    give: (brand_id, grant) => grants.set(brand_id, [...(grants.get(brand_id) ?? []), grant]),
    grantsOf: (brand_id) => grants.get(brand_id) ?? [],
    async down() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
    async up() {
      server = await listen()
      server.unref()
    },
  }
  return boards
}
