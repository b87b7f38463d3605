import { type Grants, noteOffered } from '#modules/marketplace'
import { type CtxParts, systemCtx } from '#platform/ctx/ctx.ts'
import type { Log } from '#platform/log/log.ts'
import type { Metrics } from '#platform/metrics/metrics.ts'
import type { Module } from '#platform/modules/module.ts'
import type { SecretBox } from '#platform/secrets/secret-box.ts'
import type { ToolServers } from '#platform/tool-servers/tool-servers.ts'
import type { Config } from '../../config.ts'
import { Confirmations } from './confirmations.ts'
import { gatewayRoutes } from './gateway.routes.ts'
import { createProtocol } from './protocol.ts'
import { createProxied } from './proxied/proxied.service.ts'

interface Deps {
  readonly ctx: CtxParts
  readonly log: Log
  readonly config: Config
  readonly version: string
  readonly metrics: Metrics
  readonly secret_box: SecretBox
  readonly tool_servers: ToolServers
  readonly grants: Grants
}

export function createGateway(deps: Deps): Module {
  const { ctx, log, config, version, metrics, secret_box, tool_servers, grants } = deps
  const protocol = createProtocol(version)
  const proxied = createProxied({
    tool_servers,
    credentialOf: grants.credentialOf,
    // By nobody's leave: whoever called only happened to be the first to find out.
    noteOffered: (brand_id, { install_id, version }, { tools, digest }) => {
      const brand = systemCtx(ctx, log, { kind: 'system', name: 'gateway' }).forBrand(brand_id)
      const pinned = tools.map((tool) => ({ ...tool, input_schema: { ...tool.input_schema } }))
      return noteOffered(brand, install_id, version, { tools: pinned, digest })
    },
  })
  return {
    plain_routes: gatewayRoutes({
      protocol,
      public_url: new URL(config.PUBLIC_URL),
      grants,
      proxied,
      confirmations: new Confirmations(secret_box),
      metrics,
    }),
    close: () => protocol.close(),
  }
}
