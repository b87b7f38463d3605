import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/**
 * What happens to bytes on their way. `half_open` keeps connections up and carries nothing, and a connection
 * that lost bytes this way carries nothing ever again: a stream has no holes. `drop` closes, `reset` resets.
 * `cut_after` lets so many more bytes through in each direction and then resets; `stall_after` goes silent.
 */
export type Fault =
  | { readonly kind: 'none' }
  | { readonly kind: 'latency'; readonly ms: number }
  | { readonly kind: 'reset' }
  | { readonly kind: 'drop' }
  | { readonly kind: 'half_open' }
  | { readonly kind: 'cut_after' | 'stall_after'; readonly bytes: number }

export interface FaultProxy {
  readonly port: number
  /** The given address with the proxy in place of its host and port. */
  through(url: string): string
  /** Takes effect on open connections too. */
  set(fault: Fault): void
  /** Resets the connection that has been open longest. Returns whether there was one. */
  resetOne(): boolean
  connections(): number
  close(): Promise<void>
}

interface Line {
  readonly near: Socket
  readonly far: Socket
  /** Lost bytes, so neither end hears of the other again. */
  mute: boolean
}

/** Stands before a dependency and breaks the line in the ways real networks do. */
export async function startFaultProxy(target: { host: string; port: number }): Promise<FaultProxy> {
  let fault: Fault = { kind: 'none' }
  const lines = new Set<Line>()
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (near) => {
    // Nobody listens to a socket that is refused, and an unheard error would end the test process.
    near.on('error', () => {})
    if (fault.kind === 'reset') near.resetAndDestroy()
    else if (fault.kind === 'drop') near.destroy()
    else {
      const far = connect({ host: target.host, port: target.port, allowHalfOpen: true, noDelay: true })
      far.on('error', () => {})
      const line: Line = { near, far, mute: fault.kind === 'half_open' }
      lines.add(line)
      carry(line, near, far, () => fault)
      carry(line, far, near, () => fault)
      near.on('close', () => far.destroyed && lines.delete(line))
      far.on('close', () => near.destroyed && lines.delete(line))
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    through: (url) => Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(port) }).href,
    set(next) {
      fault = next
      for (const line of lines) {
        if (next.kind === 'half_open') line.mute = true
        if (next.kind === 'reset') breakLine(line, 'reset')
        if (next.kind === 'drop') breakLine(line, 'drop')
      }
    },
    resetOne() {
      for (const line of lines) {
        if (line.near.destroyed) continue
        breakLine(line, 'reset')
        return true
      }
      return false
    },
    connections: () => [...lines].filter(({ near }) => !near.destroyed).length,
    async close() {
      for (const line of lines) breakLine(line, 'drop')
      server.close()
      await once(server, 'close')
    },
  }
}

function breakLine({ near, far }: Line, how: 'reset' | 'drop'): void {
  if (how === 'reset') near.resetAndDestroy()
  else near.destroy()
  far.destroy()
}

/** One direction of a line. Bytes keep their order even when the delay changes under way. */
function carry(line: Line, from: Socket, to: Socket, fault: () => Fault): void {
  let counted = fault()
  let carried = 0
  let stalled = false
  let delivery = Promise.resolve()
  const deliver = (act: () => void, delayMs: number) => {
    const due = new Promise<void>((resolve) => setTimeout(resolve, delayMs))
    delivery = delivery.then(() => due).then(act)
  }
  const delayOf = (now: Fault) => (now.kind === 'latency' ? now.ms : 0)
  let delayed = 0
  const send = (act: () => void) => {
    const ms = delayOf(fault())
    if (ms === 0 && delayed === 0) {
      act()
      return
    }
    delayed += 1
    deliver(() => {
      delayed -= 1
      if (!line.mute) act()
    }, ms)
  }
  from.on('data', (bytes: Buffer) => {
    const now = fault()
    if (line.mute || stalled) return
    if (now !== counted) {
      counted = now
      carried = 0
    }
    const room = 'bytes' in now ? Math.max(0, now.bytes - carried) : bytes.length
    carried += bytes.length
    const part = bytes.subarray(0, room)
    send(() => to.writable && part.length > 0 && to.write(part))
    if (bytes.length <= room) return
    if (now.kind === 'stall_after') stalled = true
    else to.end(() => breakLine(line, 'reset'))
  })
  from.on('end', () => {
    if (!line.mute && !stalled) send(() => to.writable && to.end())
  })
  from.on('close', () => {
    if (line.mute || from.readableEnded) return
    send(() => to.resetAndDestroy())
  })
}
