import { z } from 'zod'
import { agentNotOwned, scopeMissing } from '../identity/refusals.ts'
import { job } from '../job.ts'
import { route } from '../route.ts'
import { Timestamp } from '../wire.ts'
import * as fields from './fields.ts'

/** CONV-G12, M11: of the section with its markers. Coding agents read the first 200 lines or 25 KB of such a file. */
export const mostLines = 150
export const mostBytes = 20_000

/** CONV-G13: why a file was left as it is. */
export const memoryFileReasons = [
  'marker_lone',
  'marker_doubled',
  'marker_reversed',
  'marker_mismatched',
  'marker_malformed',
  'encoding',
  'too_many_edits',
  'inbox_full',
  'too_large',
  'link',
  'hard_linked',
  'not_a_file',
  'owner',
  'not_writable',
  'disk_full',
  'busy',
  'no_directory',
  'io_error',
] as const
export type MemoryFileReason = (typeof memoryFileReasons)[number]

export const MemoryFile = z
  .object({
    agent_id: z.string(),
    /** `off`: the operator has configured no directory. `waiting`: nothing was exported so far. */
    state: z.enum(['off', 'waiting', 'written', 'untouched']),
    /** Why the file was left untouched. */
    reason: z.enum(memoryFileReasons).nullable(),
    /** Relative to the directory of agent files. */
    path: z.string().meta({ maxLength: 300 }),
    /** In the section as it was written last. */
    memories: z.int(),
    lines: z.int(),
    bytes: z.int(),
    /** Whether a memory has changed since the file was last looked at. */
    is_due: z.boolean(),
    written_at: Timestamp.nullable(),
    checked_at: Timestamp.nullable(),
  })
  .meta({ id: 'MemoryFile' })
export type MemoryFile = z.infer<typeof MemoryFile>

export const getMemoryFile = route({
  ...fields.memoryRead,
  ...fields.ofAgent,
  id: 'memory.getMemoryFile',
  method: 'GET',
  path: '/api/v1/memory/agents/{agent_id}/file',
  summary: "Get the state of an agent's MEMORY.md",
  description: `Once an hour the active memories with the highest confidence are written into a marked section of the file, at most ${mostLines} lines and ${mostBytes / 1000} KB. Everything outside of the markers stays as it is. If that cannot be done safely, the file is left untouched, and \`reason\` says why. Lines edited or added inside the section become proposals.`,
  example: {},
  responses: { 200: MemoryFile },
  refusals: [scopeMissing, agentNotOwned],
})

/** CONV-15. Enqueues a job for each workspace with something to export. */
export const startExports = job({
  name: 'memory.export',
  payload: z.object({}),
  cron: '0 * * * *',
  batch_size: 1,
})

/** Repeating it changes nothing: files that are as they should be are not written. */
export const exportWorkspace = job({
  name: 'memory.export-workspace',
  payload: z.object({ brand_id: z.int() }),
  batch_size: 4,
  limit_seconds: 1800,
})
