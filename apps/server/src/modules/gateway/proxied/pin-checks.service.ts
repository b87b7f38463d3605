import type { Outside } from '#platform/ctx/outside.ts'
import type { RemoteTool } from '#platform/tool-servers/definitions.ts'
import type { ToolServer, ToolServers } from '#platform/tool-servers/tool-servers.ts'
import { type GrantedPackage, prefixOf } from './outside-tools.rules.ts'

export interface Offered {
  readonly tools: readonly RemoteTool[]
  readonly digest: string
}

/** Withholds the tools of an install whose server offers others than those approved, and tells its admins. */
export type NoteOffered = (brand_id: number, granted: GrantedPackage, offered: Offered) => Promise<void>

const freshMs = 60_000
const limitMs = 10_000
const mostKept = 5000

interface Check {
  readonly digest: string
  readonly since: number
  /** Why its tools cannot be called; undefined if they are those approved. */
  readonly reason: Promise<string | undefined>
}

/**
 * Whether a server still offers what was approved: asked before a call, at most once a minute for each install, and once for
 * all who call meanwhile. One that cannot say is not called.
 */
export class PinChecks {
  readonly #servers: ToolServers
  readonly #note: NoteOffered
  readonly #checks = new Map<string, Check>()

  constructor(servers: ToolServers, note: NoteOffered) {
    this.#servers = servers
    this.#note = note
  }

  reasonAgainst(
    outside: Outside,
    brand_id: number,
    granted: GrantedPackage,
    server: ToolServer,
  ): Promise<string | undefined> {
    const { install_id, digest } = granted
    const known = this.#checks.get(install_id)
    if (known?.digest === digest && performance.now() - known.since < freshMs) return known.reason
    const reason = this.#ask(outside, brand_id, granted, server)
    const check: Check = { digest, since: performance.now(), reason }
    this.#checks.delete(install_id)
    this.#checks.set(install_id, check)
    const [oldest] = this.#checks.keys()
    if (this.#checks.size > mostKept && oldest !== undefined) this.#checks.delete(oldest)
    // Only what is in order is remembered: everything else may be mended at any time.
    const forget = () => {
      if (this.#checks.get(install_id) === check) this.#checks.delete(install_id)
    }
    reason.then((found) => found !== undefined && forget(), forget)
    return reason
  }

  /** Nobody's hanging up ends it: others wait for the same. */
  async #ask(
    outside: Outside,
    brand_id: number,
    granted: GrantedPackage,
    server: ToolServer,
  ): Promise<string | undefined> {
    const prefix_length = prefixOf(granted.package_key).length
    const listed = await this.#servers.list(outside, server, { prefix_length, limit_ms: limitMs })
    if ('failure' in listed) return listed.detail
    if (listed.digest === granted.digest) return undefined
    await this.#note(brand_id, granted, listed)
    return `The tools of the package ${granted.package_key} have changed since they were approved; an admin has to approve them first`
  }
}
