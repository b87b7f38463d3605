import type { Environment } from '@crewhall/contracts/fleet/environments.ts'
import { environmentStatusOf } from '../desks/desk-status.rules.ts'
import type { DeskRow } from '../desks/desks.store.ts'
import { shownDigest } from '../desks/version.rules.ts'

/** ENV-24: the same after each upload. */
export const imageUrl = (id: string): string => `/api/v1/environments/${id}/image`

export const presentEnvironment = (brand_id: number, row: DeskRow): Environment => ({
  id: row.id,
  brand_id,
  short_id: row.short_id,
  name: row.name,
  description: row.description,
  runtime: row.runtime,
  status: environmentStatusOf(row.state),
  sidecar_url: row.sidecar_url,
  agent_id: row.agent_id,
  project_id: row.project_id,
  region: row.region,
  vps_provider: row.vps_provider,
  pending_sync_count: row.pending_sync_count,
  image_url: row.has_photo ? imageUrl(row.id) : null,
  sidecar_version: row.sidecar_version,
  sidecar_code_digest: shownDigest(row.sidecar_version, row.sidecar_code_digest),
  last_upgrade_at: row.last_upgrade_at,
  workspace_path: row.workspace_path,
  last_seen_at: row.last_seen_at,
  created_at: row.created_at,
})
