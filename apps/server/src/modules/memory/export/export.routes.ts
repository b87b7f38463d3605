import { getMemoryFile } from '@crewhall/contracts/memory/memory-file.ts'
import { handle } from '#platform/http/handle.ts'
import type { SharedFiles } from '#platform/shared-files/shared-files.ts'
import { getFile } from './export.service.ts'

export const exportRoutes = (files: SharedFiles) => [
  handle(getMemoryFile, (ctx, { params }) => getFile(ctx, files, params.agent_id)),
]
