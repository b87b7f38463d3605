import { z } from 'zod'
import { scopeMissing } from '../identity/refusals.ts'
import { route } from '../route.ts'
import { Timestamp, Uuid } from '../wire.ts'
import { codeRead, inProject } from './projects.ts'
import * as refused from './refusals.ts'

export const indexStates = ['none', 'waiting', 'running', 'ready', 'failed'] as const
/** In the order in which a run passes them. */
export const indexStages = ['fetch', 'list', 'extract', 'resolve', 'compare', 'publish'] as const
export type IndexStage = (typeof indexStages)[number]
export const indexTriggers = ['request', 'attached', 'pushed', 'check'] as const

/** Why a run has failed, each with what to tell people. */
export const indexFaults = {
  address: 'The address of the repository may not be called',
  unreachable: 'The host of the repository cannot be reached',
  host_key: 'The host does not have one of the keys it was attached with',
  unauthorized: 'The host refuses the credentials',
  not_found: 'There is no repository at this address',
  redirected: 'The address leads to another one; attach that one',
  branch_missing: 'The repository does not have this branch',
  empty: 'The repository has no commits',
  damaged: 'Git refuses objects of the repository',
  too_large: 'The repository, or all of the workspace together, is larger than allowed',
  too_many_objects: 'The repository has more objects than allowed',
  too_slow: 'The repository could not be fetched in time',
  too_complex: 'The code cannot be indexed within the limits of memory and files',
  nodes_lost: 'Most of the code would vanish without a change that explains it; the index before stays',
  detached: 'The repository was detached, replaced or archived meanwhile',
  failed: 'Indexing has failed',
} as const
export type IndexFault = keyof typeof indexFaults
export const indexFaultCodes = Object.keys(indexFaults) as [IndexFault, ...IndexFault[]]

export const skippedShown = 100

export const IndexState = z
  .object({
    project_id: Uuid,
    /** Of the last run; `ready` and `failed` say how it ended. An index that was ready stays in use until the next is. */
    state: z.enum(indexStates),
    stage: z.enum(indexStages).nullable(),
    files_done: z.int(),
    files_total: z.int(),
    /** At most 100 of them. */
    skipped: z.array(z.object({ path: z.string().max(1024), reason: z.string().max(200) })).max(skippedShown),
    skipped_total: z.int(),
    /** The share of references into the repository for which an edge was found; null before a run has got that far. */
    resolved_share: z.number().nullable(),
    fault: z.object({ code: z.enum(indexFaultCodes), text: z.string().max(200) }).nullable(),
    /** The commit whose index is in use. */
    commit: z.string().nullable(),
    indexed_at: Timestamp.nullable(),
    nodes: z.int(),
    edges: z.int(),
    requested_at: Timestamp.nullable(),
    started_at: Timestamp.nullable(),
    ended_at: Timestamp.nullable(),
  })
  .meta({ id: 'IndexState' })
export type IndexState = z.infer<typeof IndexState>

const inIndex = { ...codeRead, ...inProject, path: '/api/v1/projects/{project_id}/index' } as const

export const requestIndex = route({
  ...inIndex,
  id: 'code.requestIndex',
  method: 'POST',
  summary: 'Index the repository of a project',
  description:
    'Runs in the background; read its progress with GET. Code is indexed by itself after each push that the push hook receives, and every few minutes otherwise. While one run goes on, another request lets one more follow it.',
  responses: { 202: IndexState },
  refusals: [scopeMissing, refused.projectNotFound, refused.projectArchived, refused.noRepository],
})

export const getIndex = route({
  ...inIndex,
  id: 'code.getIndex',
  method: 'GET',
  summary: 'Get the state of the index of a project',
  description:
    'What the last run does or has done, and the commit whose index is in use. Files that were skipped are named with the reason.',
  responses: { 200: IndexState },
  refusals: [scopeMissing, refused.projectNotFound],
})
