import { z } from 'zod'
import { projectNotFound } from '../code-index/refusals.ts'
import { scopeMissing } from '../identity/refusals.ts'
import { route, token } from '../route.ts'
import { Uuid } from '../wire.ts'
import { Anchor } from './anchors.ts'
import { LessonBrief } from './brief.ts'

export const walkKinds = ['import', 'call', 'contains'] as const
const walkedEdges = ['import', 'symbol_import', 'call', 'contains'] as const
/** LES-15. */
export const mostStarts = 50
export const mostNear = 100
export const farthest = 3

/** LES-41. */
export const nearOutages = ['no_ready_index', 'code_index_unavailable', 'memory_unavailable'] as const
export type NearOutage = (typeof nearOutages)[number]

export const NearStep = z
  .object({
    node_id: Uuid,
    path: z.string().describe('`<path>`, `<path>#<Symbol.name>` or `<folder>/`'),
    edge: z.enum(walkedEdges).nullable().describe('The edge that leads here; null at the start'),
  })
  .meta({ id: 'NearStep' })

export const NearLesson = z
  .object({
    ...LessonBrief.shape,
    hops: z.int().min(0).max(farthest).describe('0 on a start, or anywhere under it'),
    via_node_id: Uuid.describe('The reached node that the lesson is on, or the start that it is under'),
    path_to: z
      .array(NearStep)
      .max(farthest + 1)
      .describe('From a start to that node'),
  })
  .meta({ id: 'NearLesson' })
export type NearLesson = z.infer<typeof NearLesson>

export const NearLessons = z
  .object({
    entries: z.array(NearLesson).max(mostNear),
    reached_nodes: z.int().describe('Starts included; 0 if no start is live code'),
    damped: z
      .array(z.object({ node_id: Uuid, path: z.string(), degree: z.int() }))
      .max(1000)
      .describe('Hubs that were reached and not walked through'),
    truncated: z.boolean().describe('More lessons matched than `limit`, or the walk was cut at 1,000 nodes'),
    degraded: z.enum(nearOutages).nullable(),
  })
  .meta({ id: 'NearLessons' })
export type NearLessons = z.infer<typeof NearLessons>

export const NearQuery = z
  .strictObject({
    project_id: Uuid,
    paths: z
      .array(Anchor)
      .max(mostStarts)
      .default([])
      .describe('Files, folders or symbols to start from; what is no live code is skipped'),
    node_ids: z.array(Uuid).max(mostStarts).default([]),
    depth: z.int().min(0).max(farthest).default(2).describe('0 reads the starts only'),
    kinds: z
      .array(z.enum(walkKinds))
      .max(20)
      .default(['import', 'contains'])
      .describe('Edges to follow; `import` includes imports of symbols'),
    direction: z.enum(['out', 'in', 'both']).default('both'),
    hub_cap: z
      .int()
      .min(1)
      .max(200)
      .default(25)
      .describe('A reached node with more edges of one kind than this is not walked through'),
    limit: z.int().min(1).max(mostNear).default(20),
  })
  .refine(({ paths, node_ids }) => isStartCount(paths.length + node_ids.length), {
    path: ['paths'],
    message: `must be 1 to ${mostStarts} together with node_ids`,
  })
export type NearQuery = z.infer<typeof NearQuery>

const isStartCount = (count: number) => count >= 1 && count <= mostStarts

export const findNear = route({
  auth: token('memory:read', 'code:read'),
  id: 'lessons.findNear',
  method: 'POST',
  is_read: true,
  is_long: true,
  path: '/api/v1/memory/entries:near',
  summary: 'Find the lessons near a place in the code',
  description:
    'Walks the code graph from the starts outward and returns the live lessons on every node reached, each once, at its nearest node: pinned ones first, then by hops. A start contributes everything under it, a folder that the walk reaches only its own lessons. A node with more than `hub_cap` edges of one kind is listed in `damped`; its own lessons are returned, and the walk does not continue past it. Returns 200 also while something is away: `degraded` says what.',
  example: { body: { project_id: '3f8a6c1e-52d4-4b7a-9c0e-1a2b3c4d5e6f', paths: ['src/engine.ts'] } },
  body: NearQuery,
  resources: { 'body.project_id': 'project', 'body.node_ids': 'code_node' },
  responses: { 200: NearLessons },
  refusals: [scopeMissing, projectNotFound],
})
