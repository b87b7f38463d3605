import { isIPv6, type LookupFunction, connect as openSocket, type Socket } from 'node:net'
import { connect as startTls, type TLSSocket } from 'node:tls'
import type { Target } from '#platform/outbound/target.ts'

/** A connection to one of these addresses, or undefined. The name is not looked up a second time. */
export function connect(
  { host, port }: Target,
  addresses: readonly string[],
  signal: AbortSignal,
  onError?: (error: NodeJS.ErrnoException) => void,
): Promise<Socket | undefined> {
  const known = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }))
  const lookup: LookupFunction = (_name, options, answer) => {
    const [first] = known
    if (options.all) answer(null, known)
    else answer(null, first?.address ?? '', first?.family)
  }
  const socket = openSocket({ host, port, lookup, autoSelectFamily: true })
  if (onError) socket.once('error', onError)
  return untilOpen(socket, 'connect', signal)
}

export function secure(
  socket: Socket,
  { host, is_name }: Target,
  signal: AbortSignal,
): Promise<TLSSocket | undefined> {
  // The name is what the certificate is checked against; addresses have no name to ask for.
  const name = is_name ? { servername: host } : { host }
  return untilOpen(startTls({ socket, ...name, ALPNProtocols: ['http/1.1'] }), 'secureConnect', signal)
}

function untilOpen<S extends Socket>(socket: S, event: string, signal: AbortSignal): Promise<S | undefined> {
  return new Promise((resolve) => {
    const end = () => {
      socket.destroy()
      resolve(undefined)
    }
    if (signal.aborted) return end()
    signal.addEventListener('abort', end, { once: true })
    // Stays for as long as the socket lives: an error that nobody hears ends the process.
    socket.on('error', end)
    const settle = (opened: S | undefined) => {
      // A connection that is kept outlives the limit of the call that opened it.
      signal.removeEventListener('abort', end)
      resolve(opened)
    }
    socket.once('close', () => settle(undefined))
    socket.once(event, () => settle(socket))
  })
}
