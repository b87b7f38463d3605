import { isRead, successStatus } from '@crewhall/contracts/route.ts'
import type { Tool, ToolAction } from '@crewhall/contracts/tools/tool.ts'
import { McpCaller } from '../mcp/mcp-caller.ts'
import { createTranslator } from '../mcp/request-to-call.ts'
import { lastUse } from './matrix.ts'
import type { TappedServer } from './server.ts'

export interface ToolServer extends TappedServer {
  /** Where a tool and HTTP have given different verdicts, or asked other things of the database. */
  readonly faults: readonly string[]
  /** Calls that were made both ways, and the statements of those over HTTP. */
  readonly compared: { calls: number; statements: number }
}

/**
 * The same server for the matrix, whose requests go through tools: each becomes a call of the action that stands for its
 * route, and the verdict comes back as a status. What changed nothing is sent over HTTP as well and compared.
 */
export function throughTools(server: TappedServer, tools: readonly Tool[]): ToolServer {
  const faults: string[] = []
  const compared = { calls: 0, statements: 0 }
  const translated = createTranslator(tools)
  let statements: string[] = []
  const taken = () =>
    server.tap.take().filter((group) => !group.includes(lastUse) && !group.includes(readingOfGrants))
  const compare = async (name: string, status: number, ask: () => Promise<Response>) => {
    const http = await ask()
    await http.body?.cancel()
    const sent = taken()
    compared.calls += 1
    compared.statements += sent.length
    if (http.status !== status) faults.push(`${name}: ${status}, over HTTP ${http.status}`)
    else if (JSON.stringify(sent) !== JSON.stringify(statements))
      faults.push(`${name}: other statements than over HTTP: ${JSON.stringify([statements, sent])}`)
  }
  return {
    ...server,
    plain: server.get,
    faults,
    compared,
    tap: {
      ...server.tap,
      take() {
        const sent = statements
        statements = []
        server.tap.take()
        return sent
      },
    },
    async get(path, init = {}) {
      const found = translated(path, init)
      if (!found) return server.get(path, init)
      const { tool, action, args } = found
      const headers = credentialIn(init.headers as Readonly<Record<string, string>>)
      const mcp = new McpCaller(server.get, null, { path: '/mcp?toolsets=all', headers })
      taken()
      const { verdict, said, text } = await mcp.call(tool.name, args)
      statements = taken()
      const status = verdict === 200 ? successStatus(action.route) : verdict
      // Sessions are for HTTP alone.
      if (headers.authorization && (isRead(action.route) || verdict >= 400))
        await compare(`${tool.name} ${JSON.stringify(args)}`, status, () =>
          server.get(withDefaults(path, action), init),
        )
      const told = (said || text).replaceAll(nonce, '-nonce')
      return new Response(status === 204 ? null : told.replace(replayed, ''), {
        status,
        headers: replayed.test(told) ? { 'idempotent-replayed': 'true' } : {},
      })
    },
  }
}

/** What a workspace has granted is remembered for a minute, so that some calls read it first, whatever they ask for. */
const readingOfGrants = 'select i.id as install_id, i.package_key, i.kind, i.version, v.url, i.digest'

/** What is said of a write that was done before. */
const replayed = /\n\[done before with this key[^\n]*\]$/

/** It is another one in each response. */
const nonce = /-[0-9a-f]{16}(?=>)/g

/** As the tool would ask, which wants less than HTTP by itself. */
function withDefaults(path: string, { defaults = {}, route }: ToolAction): string {
  if (route.method !== 'GET') return path
  const url = new URL(path, 'http://localhost')
  for (const [name, value] of Object.entries(defaults))
    if (!url.searchParams.has(name)) url.searchParams.set(name, String(value))
  return `${url.pathname}${url.search}`
}

/** All but what is about the body of the request over HTTP. */
function credentialIn(headers: Readonly<Record<string, string>>): Record<string, string> {
  const { 'content-type': _type, 'idempotency-key': _key, ...rest } = headers
  return rest
}
