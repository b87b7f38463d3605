import { randomBytes } from 'node:crypto'
import { createFence } from '@crewhall/contracts/tools/fence.ts'
import type { BrandCtx, OutsideBrandCtx } from '#platform/ctx/ctx.ts'
import type { ToolServerFailure } from '#platform/tool-servers/tool-server-fault.ts'
import type { ToolServer, ToolServers } from '#platform/tool-servers/tool-servers.ts'
import type { CallResult } from '../protocol.ts'
import {
  askedCharacters,
  fencedResult,
  type GrantedPackage,
  type OutsideTool,
  outsideToolsOf,
} from './outside-tools.rules.ts'
import { type NoteOffered, PinChecks } from './pin-checks.service.ts'

export interface ProxiedDeps {
  readonly tool_servers: ToolServers
  /** Opened for one call and kept nowhere. */
  readonly credentialOf: (ctx: BrandCtx, install_id: string) => Promise<string | null>
  readonly noteOffered: NoteOffered
}

export interface OutsideCalled {
  readonly result: CallResult
  /** `refused`: the tools are not those approved. `outage`: its server was of no use. */
  readonly outcome: 'ok' | 'fault' | 'refused' | 'outage'
}

/** Tools of packages that run outside of the product. */
export interface Proxied {
  /** Those of what was granted to the caller. None belongs on an address that only reads. */
  toolsOf(granted: readonly GrantedPackage[]): readonly OutsideTool[]
  /**
   * Takes up to 25 s and ends by itself. Whether the caller may is settled before; the first statement confirms the
   * credential.
   */
  call(ctx: OutsideBrandCtx, tool: OutsideTool, args: unknown, signal: AbortSignal): Promise<OutsideCalled>
}

const limitMs = 25_000

/** A call is never sent twice, so whoever made it has to know what is not known. */
const mayHaveRun: ReadonlySet<ToolServerFailure> = new Set([
  'aborted',
  'protocol',
  'status',
  'timeout',
  'too_large',
  'unreachable',
])

export function createProxied({ tool_servers, credentialOf, noteOffered }: ProxiedDeps): Proxied {
  const checks = new PinChecks(tool_servers, noteOffered)
  return {
    toolsOf: outsideToolsOf,
    async call(ctx, { package: granted, tool }, args, signal) {
      if (args !== undefined && !isRecord(args))
        return { result: failed('The arguments must be an object'), outcome: 'fault' }
      const credential = await credentialOf(ctx, granted.install_id)
      const server = serverOf(ctx, granted, credential)
      const begun = performance.now()
      const reason = await checks.reasonAgainst(ctx, ctx.brandId, granted, server)
      if (reason !== undefined) return { result: failed(reason), outcome: 'refused' }
      const called = await tool_servers.call(ctx, server, {
        name: tool.name,
        arguments: args ?? {},
        input_schema: tool.input_schema,
        limit_ms: Math.max(1, Math.floor(limitMs - (performance.now() - begun))),
        max_characters: askedCharacters,
        signal,
      })
      if ('failure' in called) {
        const { failure, detail } = called
        const text = mayHaveRun.has(failure)
          ? `${detail}. The call may have had effects all the same`
          : detail
        return { result: failed(text), outcome: 'outage' }
      }
      const fence = createFence(randomBytes(8).toString('hex'))
      const text = called.text === '' ? 'The tool returned nothing.' : fencedResult(called.text, fence)
      return { result: { content: [{ type: 'text', text }], is_error: called.is_error }, outcome: 'ok' }
    },
  }
}

function serverOf(ctx: BrandCtx, granted: GrantedPackage, credential: string | null): ToolServer {
  if (granted.url === null) throw new Error('a package without a server has no tools outside')
  const headers: Record<string, string> = credential === null ? {} : { authorization: `Bearer ${credential}` }
  return { url: granted.url, headers, owner: String(ctx.brandId) }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const failed = (text: string): CallResult => ({
  content: [{ type: 'text', text: `${text}.` }],
  is_error: true,
})
