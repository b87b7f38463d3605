import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/**
 * What happens to bytes on their way. `half_open` keeps connections up and carries nothing, and a connection
 * that lost bytes this way carries nothing ever again: a stream has no holes. `drop` closes, `reset` resets.
 * `cut_after` lets so many more bytes through in each direction and then resets; `stall_after` goes silent.
 * The others strike at what the caller sends: `cut` resets before it arrives, `lose_reply` lets it arrive and resets when
 * the reply comes, and `freeze` holds it and all that follows in both directions until the fault is over.
 */
export type Fault =
  | { readonly kind: 'none' }
  | { readonly kind: 'latency'; readonly ms: number }
  | { readonly kind: 'reset' }
  | { readonly kind: 'drop' }
  | { readonly kind: 'half_open' }
  | { readonly kind: 'cut_after' | 'stall_after'; readonly bytes: number }
  | { readonly kind: 'cut' | 'lose_reply' | 'freeze'; readonly at: Moment }

/** Whether to strike now: what is sent, the how manieth it is on its line, and on which line, since the fault was set. */
type Moment = (sent: Buffer, count: number, line: number) => boolean

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
  /** What is held back while the line is frozen. */
  held: (() => void)[] | undefined
  is_reply_lost: boolean
}

/** Stands before a dependency and breaks the line in the ways real networks do. */
export async function startFaultProxy(
  target: { host: string; port: number },
  near_address = '127.0.0.1',
): Promise<FaultProxy> {
  let fault: Fault = { kind: 'none' }
  let struck = 0
  const lines = new Set<Line>()
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (near) => {
    // Nobody listens to a socket that is refused, and an unheard error would end the test process.
    near.on('error', () => {})
    if (fault.kind === 'reset') near.resetAndDestroy()
    else if (fault.kind === 'drop') near.destroy()
    else {
      const far = connect({ host: target.host, port: target.port, allowHalfOpen: true, noDelay: true })
      far.on('error', () => {})
      const line: Line = {
        near,
        far,
        mute: fault.kind === 'half_open',
        held: undefined,
        is_reply_lost: false,
      }
      lines.add(line)
      carry(
        line,
        near,
        far,
        () => fault,
        strikes(
          line,
          () => fault,
          () => struck++,
        ),
      )
      carry(
        line,
        far,
        near,
        () => fault,
        () => line.is_reply_lost,
      )
      near.on('close', () => far.destroyed && lines.delete(line))
      far.on('close', () => near.destroyed && lines.delete(line))
    }
  })
  server.listen(0, near_address)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    through: (url) => Object.assign(new URL(url), { hostname: near_address, port: String(port) }).href,
    set(next) {
      fault = next
      struck = 0
      for (const line of lines) {
        const held = line.held ?? []
        line.held = undefined
        for (const act of held) act()
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

/** Whether what the caller sends ends the line. Holds it back if the fault says so. */
function strikes(line: Line, fault: () => Fault, nextNumber: () => number): (sent: Buffer) => boolean {
  let counted: Fault | undefined
  let count = 0
  let number = 0
  return (sent) => {
    const now = fault()
    if (!('at' in now)) return false
    if (now !== counted) {
      counted = now
      count = 0
      number = nextNumber()
    }
    if (!now.at(sent, count++, number)) return false
    if (now.kind === 'freeze') line.held ??= []
    if (now.kind === 'lose_reply') line.is_reply_lost = true
    return now.kind === 'cut'
  }
}

/** One direction of a line. Bytes keep their order even when the delay changes under way. */
function carry(
  line: Line,
  from: Socket,
  to: Socket,
  fault: () => Fault,
  isCut: (bytes: Buffer) => boolean,
): void {
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
    if (line.held) {
      line.held.push(act)
      return
    }
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
    if (isCut(bytes)) return breakLine(line, 'reset')
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
