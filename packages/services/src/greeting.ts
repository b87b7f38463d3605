import { connect } from 'node:net'

/** A frozen daemon still accepts connections, in the kernel; only the greeting shows that it works. */
export function greets({ host, port }: { host: string; port: number }, word: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host)
    const settle = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.setTimeout(5_000, () => settle(false))
    socket.on('error', () => settle(false))
    socket.on('data', (chunk) => settle(chunk.toString().startsWith(word)))
    socket.on('close', () => resolve(false))
  })
}
