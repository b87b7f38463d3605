import type { Metrics } from '#platform/metrics/metrics.ts'
import type { Module } from '#platform/modules/module.ts'
import type { SecretBox } from '#platform/secrets/secret-box.ts'
import type { Config } from '../../config.ts'
import { Confirmations } from './confirmations.ts'
import { gatewayRoutes } from './gateway.routes.ts'
import { nothingGranted } from './granted.ts'
import { createProtocol } from './protocol.ts'

interface Deps {
  readonly config: Config
  readonly version: string
  readonly metrics: Metrics
  readonly secret_box: SecretBox
}

export function createGateway({ config, version, metrics, secret_box }: Deps): Module {
  const protocol = createProtocol(version)
  return {
    plain_routes: gatewayRoutes({
      protocol,
      public_url: new URL(config.PUBLIC_URL),
      grants: { of: async () => nothingGranted },
      confirmations: new Confirmations(secret_box),
      metrics,
    }),
    close: () => protocol.close(),
  }
}
