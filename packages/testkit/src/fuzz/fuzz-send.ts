import { Agent, request } from 'node:http'
import type { AnyRoute } from '@crewhall/contracts/route.ts'
import type { FuzzCase } from './fuzz.ts'

export interface FuzzAnswer {
  readonly status: number
  readonly content_type: string
  readonly text: string
}

/** Keeps connections open: thousands of requests would otherwise run the machine out of ports. */
export const fuzzAgent = (connections: number): Agent =>
  new Agent({ keepAlive: true, maxSockets: connections })

export function sendCase(
  agent: Agent,
  baseUrl: string,
  route: AnyRoute,
  each: FuzzCase,
): Promise<FuzzAnswer> {
  const { hostname, port } = new URL(baseUrl)
  const body = each.body === undefined ? undefined : Buffer.from(each.body)
  const headers = {
    ...(each.content_type === undefined ? {} : { 'content-type': each.content_type }),
    ...(body ? { 'content-length': body.length } : {}),
  }
  return new Promise((resolve, reject) => {
    const sent = request(
      { agent, hostname, port, method: route.method, path: targetOf(route, each), headers },
      (response) => {
        const chunks: Buffer[] = []
        const answer = () =>
          resolve({
            status: response.statusCode ?? 0,
            content_type: response.headers['content-type'] ?? '',
            text: Buffer.concat(chunks).toString('utf8'),
          })
        response.on('data', (bytes) => chunks.push(bytes))
        response.on('error', reject)
        response.on('end', answer)
        // A stream does not end by itself.
        if (response.headers['content-type']?.startsWith('text/event-stream')) {
          answer()
          response.destroy()
        }
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })
}

export function targetOf(route: AnyRoute, each: FuzzCase): string {
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encode(each.params[name] ?? ''))
  const query = each.query.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&')
  return query ? `${path}?${query}` : path
}

/** Percent-encodes any text, also one that is not Unicode: an unpaired surrogate becomes the bytes it would have. */
const encode = (text: string): string =>
  text.isWellFormed()
    ? encodeURIComponent(text)
    : [...text].map((char) => (char.isWellFormed() ? encodeURIComponent(char) : '%ED%A0%80')).join('')
