import { once } from 'node:events'
import { chmod, chown, rm } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { connect as connectSecure } from 'node:tls'
import { joinSockets } from '#platform/gate/joined.ts'

/** A socket in a folder through which the API is reached, and nothing else. */
export async function openOutlet(
  path: string,
  api_url: string,
  owner: { readonly uid: number; readonly gid: number },
): Promise<Server> {
  const { protocol, hostname, port } = new URL(api_url)
  const host = hostname.replace(/^\[|\]$/g, '')
  const isSecure = protocol === 'https:'
  const to = { host, port: Number(port) || (isSecure ? 443 : 80) }
  const server = createServer((near) => {
    const far = isSecure
      ? connectSecure({ ...to, servername: host, ALPNProtocols: ['http/1.1'] })
      : connect(to)
    joinSockets(near, far)
  })
  // What a hub that was killed has left.
  await rm(path, { force: true })
  server.listen(path)
  await once(server, 'listening')
  await chown(path, owner.uid, owner.gid)
  await chmod(path, 0o600)
  return server
}
