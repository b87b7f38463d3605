import { request as requestPlain } from 'node:http'
import { request } from 'node:https'

export type Get = (path: string, init?: RequestInit) => Promise<Response>

export const host = 'crewhall.test'

/** As a browser would reach the public name, whose address is known to nobody here. */
export function through(port: number, ca: string, limitMs = 60_000, address = '127.0.0.1'): Get {
  return (path, init = {}) =>
    new Promise((done, fail) => {
      const headers = { ...(init.headers as Record<string, string> | undefined), host }
      const { method = 'GET' } = init
      const options = { host: address, port, path, method, headers, servername: host, ca }
      const sent = request(options, (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.on('error', fail)
        answer.on('end', () => {
          const lists = Object.entries(answer.headersDistinct).flatMap(([name, values = []]) =>
            values.map((value): [string, string] => [name, value]),
          )
          const body = [204, 304].includes(answer.statusCode ?? 0) ? null : Buffer.concat(chunks)
          done(new Response(body, { status: answer.statusCode ?? 0, headers: lists }))
        })
      })
      const late = setTimeout(() => sent.destroy(new Error(`no answer within ${limitMs} ms`)), limitMs)
      sent.on('close', () => clearTimeout(late))
      sent.on('error', fail)
      sent.end(init.body as string | undefined)
    })
}

/** Status and target of the redirect of plain HTTP. */
export const redirectOf = (address: string): Promise<[number, string]> =>
  new Promise((done, fail) => {
    const sent = requestPlain({ host: address, path: '/', headers: { host } }, (answer) => {
      answer.resume()
      done([answer.statusCode ?? 0, answer.headers.location ?? ''])
    })
    sent.on('error', fail)
    sent.end()
  })
