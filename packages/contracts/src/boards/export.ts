import { z } from 'zod'
import { bytes } from '../bytes.ts'
import { refusal, refusalOf } from '../refusal.ts'
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

/** Of CSV and JSON lines, which leave out nothing; a temporary file holds them. */
export const fileLimitBytes = 256 * 1024 * 1024
export const fileTooLarge = refusal(413, 'The export is larger than 256 MiB; select columns')

export const exportFormats = ['md', 'csv', 'jsonl'] as const

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
  summary: 'Export a board as Markdown, CSV or JSON lines',
  description:
    'For version control and for agents that read files: the same state always gives the same bytes. `format` is `md` (default), `csv` (RFC 4180, one row for each card) or `jsonl` (one whole card on each line, with its comments, checklist and relations). Archived cards are omitted. In CSV, a text that a spreadsheet would take for a formula, because it begins with `=`, `+`, `-`, `@` or a control character, gets an apostrophe in front. `detail` applies to Markdown only.',
  example: { query: { detail: 'summary' } },
  query: z.object({
    format: z.enum(exportFormats).optional(),
    detail: z.enum(['summary', 'standard']).optional(),
    columns: names.optional(),
  }),
  responses: { 200: bytes('text/markdown', 'text/csv', 'application/x-ndjson') },
  refusals: [refused.boardNotFound, exportTooLarge, fileTooLarge],
  deadline_ms: 30_000,
})
