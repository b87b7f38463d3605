import { anchorText } from '@crewhall/contracts/lessons/anchors.ts'
import type { CodeLink } from '@crewhall/contracts/memory/code-links.ts'
import type { LinkRow } from './code-links.store.ts'

export const presentLink = ({ path, symbol, ...link }: LinkRow): CodeLink => ({
  mention: link.mention,
  project_id: link.project_id,
  node_id: link.node_id,
  kind: link.kind,
  place: anchorText({ path, symbol, is_folder: link.kind === 'folder' }),
  removed_in: link.removed_in,
  linked_at: link.linked_at,
})
