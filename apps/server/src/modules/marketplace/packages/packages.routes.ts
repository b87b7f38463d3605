import * as contract from '@crewhall/contracts/marketplace/packages.ts'
import { handle } from '#platform/http/handle.ts'
import type { Outbound } from '#platform/outbound/outbound.ts'
import * as service from './packages.service.ts'

interface PackageDeps {
  readonly outbound: Outbound
  /** After a version was withdrawn. */
  withdrawn(): void
}

export const packageRoutes = ({ outbound, withdrawn }: PackageDeps) => [
  handle(contract.listPackages, (ctx, { query }) => service.listPackagesFrom(ctx, query, false)),
  handle(contract.getPackage, (ctx, { params }) => service.getOnePackage(ctx, params.package_key)),
  handle(contract.getPackageVersion, (ctx, { params }) =>
    service.getOneVersion(ctx, params.package_key, params.version),
  ),
  handle(contract.listAllPackages, (ctx, { query }) => service.listPackagesFrom(ctx, query, true)),
  handle(contract.publishPackage, (ctx, { body }) => service.publishOnePackage(ctx, body)),
  handle(contract.changePackage, (ctx, { params, body }) =>
    service.changeOnePackage(ctx, params.package_key, body),
  ),
  handle(contract.publishVersion, (ctx, { params, body }) =>
    service.publishOneVersion(ctx, outbound, params.package_key, body),
  ),
  handle(contract.withdrawVersion, (ctx, { params }) =>
    service.withdrawOneVersion(ctx, params.package_key, params.version, withdrawn),
  ),
]
