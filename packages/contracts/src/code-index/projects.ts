import { z } from 'zod'
import { scopeMissing } from '../identity/refusals.ts'
import { adminToken, route, token } from '../route.ts'
import { pageLimit, queryBoolean, Timestamp, Uuid, words } from '../wire.ts'
import * as refused from './refusals.ts'

export const credentialKinds = ['none', 'password', 'ssh_key'] as const

export const Repository = z
  .object({
    url: z.string(),
    /** Null for the default branch of the remote. */
    branch: z.string().nullable(),
    /** What the remote is shown; it is stored encrypted and never returned. */
    credential: z.enum(credentialKinds),
    /** How many keys of its host are known, for an ssh address. */
    host_key_count: z.int(),
    /** When the secret of the push hook was created; null if there is none. */
    push_secret_set_at: Timestamp.nullable(),
    attached_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Repository' })
export type Repository = z.infer<typeof Repository>

export const Project = z
  .object({
    id: Uuid,
    name: z.string(),
    repository: Repository.nullable(),
    created_at: Timestamp,
    updated_at: Timestamp,
    archived_at: Timestamp.nullable(),
  })
  .meta({ id: 'Project' })
export type Project = z.infer<typeof Project>

export const codeRead = { auth: token('code:read') } as const
export const codeAdmin = { auth: adminToken('brand:admin') } as const
export const inProject = {
  params: z.object({ project_id: Uuid }),
  resources: { project_id: 'project' },
  missing: refused.projectNotFound,
} as const

const ProjectName = words(200)

export const listProjects = route({
  ...codeRead,
  id: 'code.listProjects',
  method: 'GET',
  path: '/api/v1/projects',
  summary: 'List the projects of the workspace, newest first',
  description:
    'Archived projects are omitted; `archived=true` returns only those. Pass `next_cursor` as `cursor` to read on; it is null on the last page.',
  example: { query: { limit: '50' } },
  query: z.object({
    archived: queryBoolean.optional(),
    limit: pageLimit(),
    cursor: z.string().max(500).optional(),
  }),
  responses: { 200: z.object({ projects: z.array(Project), next_cursor: z.string().nullable() }) },
  refusals: [scopeMissing, refused.unknownCursor],
})

export const createProject = route({
  ...codeAdmin,
  id: 'code.createProject',
  method: 'POST',
  path: '/api/v1/projects',
  summary: 'Create a project',
  description:
    'A project is what boards, lessons and the code of a repository belong to. Attach a repository to it to have its code indexed.',
  example: { body: { name: 'Engine' } },
  body: z.object({ name: ProjectName }),
  responses: { 201: Project },
  refusals: [scopeMissing, refused.projectLimit],
})

export const getProject = route({
  ...codeRead,
  ...inProject,
  id: 'code.getProject',
  method: 'GET',
  path: '/api/v1/projects/{project_id}',
  summary: 'Get a project',
  description: 'With its repository, if one is attached. Archived projects can be read as well.',
  responses: { 200: Project },
  refusals: [scopeMissing, refused.projectNotFound],
})

export const renameProject = route({
  ...codeAdmin,
  ...inProject,
  id: 'code.renameProject',
  method: 'PATCH',
  path: '/api/v1/projects/{project_id}',
  summary: 'Rename a project',
  description: 'Names need not be unique. An archived project has to be restored first.',
  example: { body: { name: 'Engine and tools' } },
  body: z.object({ name: ProjectName }),
  responses: { 200: Project },
  refusals: [scopeMissing, refused.projectNotFound, refused.projectArchived],
})

export const archiveProject = route({
  ...codeAdmin,
  ...inProject,
  id: 'code.archiveProject',
  method: 'POST',
  path: '/api/v1/projects/{project_id}/archive',
  summary: 'Archive a project',
  description:
    'What was indexed stays readable; nothing is indexed until the project is restored. Repeating the call changes nothing.',
  responses: { 200: Project },
  refusals: [scopeMissing, refused.projectNotFound],
})

export const restoreProject = route({
  ...codeAdmin,
  ...inProject,
  id: 'code.restoreProject',
  method: 'POST',
  path: '/api/v1/projects/{project_id}/restore',
  summary: 'Restore an archived project',
  description: 'Everything in it is as it was. Repeating the call changes nothing.',
  responses: { 200: Project },
  refusals: [scopeMissing, refused.projectNotFound, refused.projectLimit],
})
