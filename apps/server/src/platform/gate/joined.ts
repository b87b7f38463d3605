import type { Socket } from 'node:net'

/** What one gets, the other sends; whichever ends, the other does when it has sent what it had. */
export function joinSockets(near: Socket, far: Socket): void {
  near.pipe(far).pipe(near)
  for (const [one, other] of [
    [near, far],
    [far, near],
  ] as const)
    one.on('error', () => other.destroy()).on('close', () => other.destroySoon())
}
