import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'

export interface GitServer {
  /** With the port, without a slash at its end. */
  readonly url: string
  readonly port: number
  /** Method, path and Authorization of every request so far. */
  readonly requests: readonly { method: string; path: string; authorization: string | undefined }[]
  readonly connections: number
  /** Puts something else in the place of git for paths that begin with this. */
  answer(prefix: string, by: (request: IncomingMessage, response: ServerResponse) => void): void
  close(): void
}

interface Options {
  /** Directory with bare repositories. */
  readonly root: string
  readonly host?: string
  readonly tls?: { readonly key: string; readonly cert: string }
  /** Basic credentials, as `user:password`, without which nothing is served. */
  readonly credentials?: string
}

/** `git http-backend` behind a server on loopback, as any host of repositories would serve them. */
export async function startGitServer({
  root,
  host = '127.0.0.1',
  tls,
  credentials,
}: Options): Promise<GitServer> {
  const requests: GitServer['requests'][number][] = []
  const special = new Map<string, (request: IncomingMessage, response: ServerResponse) => void>()
  let connections = 0
  const wanted = credentials && `Basic ${Buffer.from(credentials).toString('base64')}`
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    const { method = '', url = '/', headers } = request
    requests.push({ method, path: url, authorization: headers.authorization })
    const other = [...special].find(([prefix]) => url.startsWith(prefix))
    if (other) return other[1](request, response)
    if (wanted && headers.authorization !== wanted) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' })
      return response.end()
    }
    return serve(root, request, response)
  }
  const server = tls ? createSecureServer(tls, onRequest) : createServer(onRequest)
  server.on('connection', () => {
    connections += 1
  })
  server.listen(0, host)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `${tls ? 'https' : 'http'}://${host}:${port}`,
    port,
    requests,
    get connections() {
      return connections
    },
    answer(prefix, by) {
      special.set(prefix, by)
    },
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

function serve(root: string, request: IncomingMessage, response: ServerResponse): void {
  const [path = '', query = ''] = (request.url ?? '/').split('?')
  const { headers } = request
  const backend = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env.PATH ?? '/usr/bin',
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      REQUEST_METHOD: request.method ?? 'GET',
      PATH_INFO: decodeURIComponent(path),
      QUERY_STRING: query,
      CONTENT_TYPE: headers['content-type'] ?? '',
      ...(headers['content-encoding'] ? { HTTP_CONTENT_ENCODING: headers['content-encoding'] } : {}),
      ...(headers['git-protocol'] ? { GIT_PROTOCOL: String(headers['git-protocol']) } : {}),
      ...(headers['content-length'] ? { CONTENT_LENGTH: headers['content-length'] } : {}),
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  backend.stdin.on('error', () => {})
  request.pipe(backend.stdin)
  let head: Buffer | undefined = Buffer.alloc(0)
  backend.stdout.on('data', (chunk: Buffer) => {
    if (!head) return void response.write(chunk)
    head = Buffer.concat([head, chunk])
    const end = head.indexOf('\r\n\r\n')
    if (end < 0) return
    const lines = head.toString('latin1', 0, end).split('\r\n')
    const rest = head.subarray(end + 4)
    head = undefined
    let status = 200
    for (const line of lines) {
      const at = line.indexOf(':')
      const [name, value] = [line.slice(0, at), line.slice(at + 1).trim()]
      if (name.toLowerCase() === 'status') status = Number.parseInt(value, 10)
      else response.setHeader(name, value)
    }
    response.writeHead(status)
    response.write(rest)
  })
  backend.once('close', () => {
    if (head) response.writeHead(500)
    response.end()
  })
  response.once('close', () => backend.kill('SIGKILL'))
}
