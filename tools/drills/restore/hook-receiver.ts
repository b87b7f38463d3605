import { createServer } from 'node:http'
import { freePort } from '@crewhall/testkit/free-port.ts'

export interface HookReceiver {
  /** Of deliveries, each as often as it came. */
  readonly ids: readonly string[]
  readonly url: string
  close(): Promise<void>
}

export async function startHookReceiver(): Promise<HookReceiver> {
  const ids: string[] = []
  const server = createServer((request, response) => {
    ids.push(String(request.headers['webhook-id']))
    request.resume().on('end', () => response.writeHead(204).end())
  })
  const port = await freePort()
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done))
  return {
    ids,
    url: `http://127.0.0.1:${port}/`,
    close: () => new Promise((done) => server.close(() => done())),
  }
}
