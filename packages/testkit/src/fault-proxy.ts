import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** What happens to bytes on their way. `half_open` keeps connections up and carries nothing; `drop` closes them. */
export type Fault =
  | { readonly kind: 'none' }
  | { readonly kind: 'latency'; readonly ms: number }
  | { readonly kind: 'reset' }
  | { readonly kind: 'drop' }
  | { readonly kind: 'half_open' }
  | { readonly kind: 'cut_after'; readonly bytes: number }

export interface FaultProxy {
  readonly port: number
  /** The given address with the proxy in place of its host and port. */
  through(url: string): string
  /** Takes effect on open connections too. */
  set(fault: Fault): void
  connections(): number
  close(): Promise<void>
}

/** Stands before a dependency and breaks the line in the ways real networks do. */
export async function startFaultProxy(target: { host: string; port: number }): Promise<FaultProxy> {
  let fault: Fault = { kind: 'none' }
  const pairs = new Set<{ near: Socket; far: Socket }>()
  const server = createServer({ allowHalfOpen: false }, (near) => {
    if (fault.kind === 'reset') {
      near.resetAndDestroy()
      return
    }
    if (fault.kind === 'drop') {
      near.destroy()
      return
    }
    const far = connect(target)
    const pair = { near, far }
    pairs.add(pair)
    const end = () => {
      pairs.delete(pair)
      near.destroy()
      far.destroy()
    }
    for (const socket of [near, far]) socket.setNoDelay(true).on('error', end).on('close', end)
    carry(near, far, () => fault)
    carry(far, near, () => fault)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    through: (url) => Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(port) }).href,
    set(next) {
      fault = next
      for (const { near, far } of pairs) {
        if (next.kind === 'reset') near.resetAndDestroy()
        if (next.kind === 'drop') near.destroy()
        if (next.kind === 'reset' || next.kind === 'drop') far.destroy()
      }
    },
    connections: () => pairs.size,
    async close() {
      for (const { near, far } of pairs) {
        near.destroy()
        far.destroy()
      }
      server.close()
      await once(server, 'close')
    },
  }
}

function carry(from: Socket, to: Socket, fault: () => Fault): void {
  let carried = 0
  from.on('data', (bytes) => {
    const now = fault()
    if (now.kind === 'half_open') return
    carried += bytes.length
    if (now.kind === 'cut_after' && carried > now.bytes) {
      to.destroy()
      from.destroy()
    } else if (now.kind === 'latency') setTimeout(() => to.writable && to.write(bytes), now.ms)
    else if (to.writable) to.write(bytes)
  })
}
