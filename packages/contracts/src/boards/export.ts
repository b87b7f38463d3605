import { z } from 'zod'
import { bytes } from '../bytes.ts'
import { refusalOf } from '../refusal.ts'
import { route } from '../route.ts'
import { inBoard } from './boards.ts'
import * as refused from './refusals.ts'

export const exportLimitBytes = 1_048_576

/** BRD-48, BRD-49: actual size, limit, and how to make it smaller; `columns` is deliberately omitted. */
export const exportTooLarge = refusalOf(413, 'The export is larger than 1 MiB', (actual_bytes: number) => ({
  error: 'markdown_export_too_large',
  message: `The export has ${actual_bytes} bytes; the limit is ${exportLimitBytes}. Use detail=summary or select columns.`,
  actual_bytes,
  limit_bytes: exportLimitBytes,
  detail_level: 'standard',
  retry_with: { detail: 'summary' },
}))

const names = z
  .string()
  .max(10_000)
  .transform((text) => text.split(',').filter((part) => part.trim() !== ''))
  .meta({ override: { type: 'string' } })

export const exportBoard = route({
  ...inBoard,
  id: 'boards.exportBoard',
  method: 'GET',
  path: '/api/v1/board/boards/{board_id}/export',
  summary: 'Export a board as Markdown',
  description:
    'For version control and for agents that read files: the same state always gives the same bytes.',
  example: { query: { detail: 'summary' } },
  query: z.object({ detail: z.enum(['summary', 'standard']).optional(), columns: names.optional() }),
  responses: { 200: bytes('text/markdown') },
  refusals: [refused.boardNotFound, exportTooLarge],
  deadline_ms: 30_000,
})
