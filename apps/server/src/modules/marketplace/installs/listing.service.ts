import * as refused from '@crewhall/contracts/marketplace/refusals.ts'
import type { OutsideBrandCtx } from '#platform/ctx/ctx.ts'
import type { Outside } from '#platform/ctx/outside.ts'
import type { SecretBox } from '#platform/secrets/secret-box.ts'
import type { VersionRow } from '../packages/packages.store.ts'
import type { Pinned } from './installs.store.ts'

export interface PackageServer {
  readonly brand_id: number
  readonly package_key: string
  readonly url: string
  readonly credential: string | null
}

/** Asks the server of a package for its tools; throws an Outage when it gets none. */
export type ListTools = (outside: Outside, server: PackageServer, signal?: AbortSignal) => Promise<Pinned>

export interface InstallDeps {
  readonly secret_box: SecretBox
  readonly listTools: ListTools
}

/** A server is asked again after this long, give or take a tenth, so that installs of one day do not stay together. */
const checkSeconds = 6 * 3600
export const nextCheckSeconds = (url: string | null): number | null =>
  url === null ? null : Math.round(checkSeconds * (0.9 + 0.2 * Math.random()))

/** The tools that an install of this version pins; none for a built-in package, whose tools are those of its version. */
export async function listPinned(
  ctx: OutsideBrandCtx,
  { listTools }: InstallDeps,
  { package_key, url }: Pick<VersionRow, 'package_key' | 'url'>,
  credential: string | null,
  signal?: AbortSignal,
): Promise<Pinned> {
  if (url === null) return { tools: [], digest: '' }
  return listTools(ctx, { brand_id: ctx.brandId, package_key, url, credential }, signal)
}

export function refuseCredential(
  { credential: need }: Pick<VersionRow, 'credential'>,
  has_credential: boolean,
): void {
  if (need === 'required' && !has_credential) throw refused.credentialRequired()
  if (need === 'none' && has_credential) throw refused.credentialUnused()
}
