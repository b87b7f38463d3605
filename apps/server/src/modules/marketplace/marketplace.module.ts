import type { PinnedTool } from '@crewhall/contracts/marketplace/installs.ts'
import type { Redis } from 'ioredis'
import { featureHoldings } from '#modules/workspaces'
import type { SystemCtx } from '#platform/ctx/ctx.ts'
import { emptying, erasureParts } from '#platform/erasure/erasure-part.ts'
import type { WakeUps } from '#platform/events/wake-ups.ts'
import type { Module } from '#platform/modules/module.ts'
import { fill } from '#platform/modules/port.ts'
import { Outage } from '#platform/outage/outage.ts'
import type { Outbound } from '#platform/outbound/outbound.ts'
import { EpochValues } from '#platform/redis/epoch-values.ts'
import type { SecretBox } from '#platform/secrets/secret-box.ts'
import type { RemoteTool } from '#platform/tool-servers/definitions.ts'
import type { ToolServers } from '#platform/tool-servers/tool-servers.ts'
import { installJobs } from './checks/checks.jobs.ts'
import { installRowsOfBrand } from './erasure/erase-installs.service.ts'
import { createGrants, type Grants } from './grants/grants.service.ts'
import { installRoutes } from './installs/installs.routes.ts'
import { countAllInstalls } from './installs/installs.service.ts'
import type { InstallDeps } from './installs/listing.service.ts'
import { derivePackages } from './packages/built-in.rules.ts'
import { publishBuiltIns } from './packages/built-in.service.ts'
import { packageRoutes } from './packages/packages.routes.ts'

interface Deps {
  readonly redis: Redis
  readonly wake_ups: WakeUps
  readonly secret_box: SecretBox
  readonly outbound: Outbound
  readonly tool_servers: ToolServers
}

export interface MarketplaceModule extends Module {
  /** What callers may use, for the gateway. */
  readonly grants: Grants
  /** What it takes to install packages, for hires. */
  readonly installs: InstallDeps
}

/** Shorter than the deadline of the request that waits for it. */
const listLimitMs = 9000

const pinnedOf = ({ name, title, description, input_schema, hints }: RemoteTool): PinnedTool => ({
  name,
  title,
  description,
  input_schema: { ...input_schema },
  hints: { ...hints },
})

export function createMarketplace({
  redis,
  wake_ups,
  secret_box,
  outbound,
  tool_servers,
}: Deps): MarketplaceModule {
  const grants = createGrants({ shared: new EpochValues(redis, 'grants'), wake_ups, secret_box })
  const deps: InstallDeps = {
    secret_box,
    async listTools(outside, { brand_id, package_key, url, credential }, signal) {
      const headers: Record<string, string> =
        credential === null ? {} : { authorization: `Bearer ${credential}` }
      const listed = await tool_servers.list(
        outside,
        { url, headers, owner: String(brand_id) },
        // Tools are called `<key>__<tool>`.
        { prefix_length: package_key.length + 2, limit_ms: listLimitMs, ...(signal ? { signal } : {}) },
      )
      if ('failure' in listed)
        throw new Outage('service', 'bad_answer', { status: 502, detail: listed.detail })
      return { tools: listed.tools.map(pinnedOf), digest: listed.digest }
    },
  }
  return {
    grants,
    installs: deps,
    routes: [
      ...packageRoutes({ outbound, withdrawn: () => grants.changedEverywhere() }),
      ...installRoutes(deps),
    ],
    jobs: installJobs(deps),
    listeners: [grants.listener],
    fills: [
      fill(featureHoldings, { feature: 'skills', count: countAllInstalls }),
      fill(erasureParts, { part: 'marketplace', brand: emptying(...installRowsOfBrand) }),
    ],
    async close() {
      grants.close()
    },
  }
}

/** For `migrate`: the packages of this version of the server. */
export const publishBuiltInPackages = (ctx: SystemCtx): Promise<void> =>
  publishBuiltIns(ctx, derivePackages())
