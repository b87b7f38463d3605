import { once } from 'node:events'
import { connect, createServer, isIPv6, type Server, type Socket } from 'node:net'
import { joinSockets } from '#platform/gate/joined.ts'
import { addressOf, isWithin, networksOf } from '#platform/outbound/addresses.ts'

/** What is said of a connection before it belongs to whoever asked for it: one line. */
const verdicts = ['open', 'refused', 'unreachable', 'forbidden'] as const
type Verdict = (typeof verdicts)[number]
const isVerdict = (text: string): text is Verdict => (verdicts as readonly string[]).includes(text)

const maxLine = 100
const limitMs = 30_000

/**
 * Stands in a network that others are not in, and connects them to addresses there. The caller writes `address port` and a
 * line feed; one line comes back, and after `open` the connection is theirs.
 */
export function createDoor(networks: readonly string[]): Server {
  const allowed = networksOf(networks)
  return createServer({ allowHalfOpen: true }, (near) => {
    let line = ''
    near.setTimeout(limitMs, () => near.destroy())
    near.on('error', () => near.destroy())
    const read = (bytes: Buffer) => {
      line += bytes.toString('latin1')
      if (line.length > maxLine) return near.destroy()
      if (!line.endsWith('\n')) return
      near.off('data', read)
      near.pause()
      near.setTimeout(0)
      const [host = '', port = ''] = line.trim().split(' ')
      const address = addressOf(host)
      if (!address || !isWithin(address, allowed) || !/^[1-9]\d{0,4}$/.test(port))
        return near.end('forbidden\n')
      open(near, host, Number(port))
    }
    near.on('data', read)
  })
}

function open(near: Socket, host: string, port: number): void {
  const far = connect({ host, port, family: isIPv6(host) ? 6 : 4 })
  const failed = ({ code }: NodeJS.ErrnoException) =>
    near.end(code === 'ECONNREFUSED' ? 'refused\n' : 'unreachable\n')
  far.once('error', failed)
  near.once('close', () => far.destroy())
  far.once('connect', () => {
    far.off('error', failed)
    near.write('open\n')
    joinSockets(near, far)
  })
}

/** The door itself is closed: that says nothing about who is behind it. */
export class DoorClosed extends Error {}

/** A connection to an address behind the door, or why there is none. Fails when the door is closed. */
export async function throughDoor(
  path: string,
  { host, port }: { readonly host: string; readonly port: number },
  signal: AbortSignal,
): Promise<Socket | Exclude<Verdict, 'open'>> {
  const socket = connect({ path })
  const stop = () => socket.destroy()
  signal.addEventListener('abort', stop, { once: true })
  // Stays for as long as the socket lives: an error that nobody hears ends the process.
  socket.on('error', () => undefined)
  socket.once('close', () => signal.removeEventListener('abort', stop))
  try {
    await once(socket, 'connect', { signal })
  } catch (error) {
    socket.destroy()
    if (signal.aborted) return 'unreachable'
    throw new DoorClosed('the door to the network of desks is closed', { cause: error })
  }
  socket.write(`${host} ${port}\n`)
  const verdict = await firstLine(socket)
  if (verdict === 'open') return socket
  socket.destroy()
  return verdict
}

/** What follows the line is left for whoever reads next. */
function firstLine(socket: Socket): Promise<Verdict> {
  return new Promise((resolve) => {
    const closed = () => resolve('unreachable')
    socket.once('close', closed)
    // Read by hand: a socket that was made to flow and paused again stays so for whoever has it next.
    const look = () => {
      const bytes = socket.read() as Buffer | null
      if (bytes === null) return
      socket.off('close', closed).off('readable', look)
      const end = bytes.indexOf(10)
      const line = bytes.subarray(0, end).toString('latin1')
      if (end + 1 < bytes.length) socket.unshift(bytes.subarray(end + 1))
      resolve(isVerdict(line) ? line : 'unreachable')
    }
    socket.on('readable', look)
  })
}
