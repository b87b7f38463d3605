import http2, { type ClientHttp2Session } from 'node:http2'
import https from 'node:https'
import { connect, type TLSSocket } from 'node:tls'

/** Where a proxy is reached, and by whose word its certificate is believed. */
export interface ProxyPlace {
  readonly url: string
  readonly plain_url: string
  readonly ca: string
}

export interface Ask {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Buffer | string
  /** The address that the request comes from. */
  readonly from?: string
  readonly limit_ms?: number
  /** Whoever answers is believed. */
  readonly is_trusting?: boolean
}

export interface Told {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

const name = 'localhost'

/** One request over HTTP/1.1 on a connection of its own. */
export function ask({ url, ca }: ProxyPlace, path: string, how: Ask = {}): Promise<Told> {
  const { method = 'GET', headers = {}, body, from, limit_ms = 60_000, is_trusting = false } = how
  const { port, host } = new URL(url)
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  return new Promise((resolve, reject) => {
    const request = https.request({
      host: '127.0.0.1',
      port,
      servername: name,
      ca,
      rejectUnauthorized: !is_trusting,
      path,
      method,
      agent: false,
      headers: { host, ...length, ...headers },
      ...(from === undefined ? {} : { localAddress: from }),
    })
    request.setTimeout(limit_ms, () =>
      request.destroy(new Error(`${method} ${path}: silent for ${limit_ms} ms`)),
    )
    request.on('error', reject)
    request.on('response', (response) => {
      const parts: Buffer[] = []
      response.on('data', (bytes: Buffer) => parts.push(bytes))
      response.on('error', reject)
      response.on('end', () => {
        const { statusCode: status = 0, headers } = response
        resolve({ status, headers: flat(headers), body: Buffer.concat(parts) })
        // An answer may come before all of the body was taken.
        request.destroy()
      })
    })
    request.end(body)
  })
}

const flat = (headers: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([key, value]) => [key, String(value)]))

/** As `fetch`, which could not be told whom to believe. */
export const fetchThrough =
  (place: ProxyPlace) =>
  async (path: string, init: RequestInit = {}): Promise<Response> => {
    const request = new Request(new URL(path, place.url), init)
    const body = Buffer.from(await request.arrayBuffer())
    const told = await ask(place, path, {
      method: request.method,
      headers: Object.fromEntries(request.headers),
      ...(body.length > 0 ? { body } : {}),
    })
    const empty = told.status === 204 || told.status === 304
    return new Response(empty ? null : (told.body as Buffer<ArrayBuffer>), {
      status: told.status,
      headers: told.headers,
    })
  }

export function openSession({ url, ca }: ProxyPlace): Promise<ClientHttp2Session> {
  const { port } = new URL(url)
  return new Promise((resolve, reject) => {
    const session = http2.connect(`https://${name}:${port}`, { ca })
    session.once('connect', () => resolve(session))
    session.once('error', reject)
  })
}

export interface TlsOffer {
  readonly version: 'TLSv1' | 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3'
  readonly ciphers?: string
}

/** What a handshake with nothing but that offer comes to: the protocol and cipher, or the code of the refusal. */
export async function shakeHands(place: ProxyPlace, { version, ciphers }: TlsOffer): Promise<string> {
  try {
    const socket = await openTls(place, {
      minVersion: version,
      maxVersion: version,
      // A client that would not speak old protocols could not tell whether the server does.
      ciphers: ciphers ?? 'ALL:@SECLEVEL=0',
    })
    const spoken = `${socket.getProtocol()} ${socket.getCipher().name}`
    socket.destroy()
    return spoken
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error)
  }
}

export function openTls({ url, ca }: ProxyPlace, more: object = {}): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({
      host: '127.0.0.1',
      port: Number(new URL(url).port),
      servername: name,
      ca,
      ...more,
    })
    socket.once('secureConnect', () => resolve(socket))
    socket.once('error', reject)
  })
}

/** Of the certificate that a new connection is shown. */
export async function fingerprintOf(place: ProxyPlace): Promise<string> {
  const socket = await openTls(place, { rejectUnauthorized: false })
  const { fingerprint256 } = socket.getPeerCertificate()
  socket.destroy()
  return fingerprint256
}
