import { z } from 'zod'
import { platformAdminRequired } from '../identity/refusals.ts'
import { platformAdmin, route } from '../route.ts'
import { pageLimit, Timestamp, Uuid } from '../wire.ts'
import * as refused from './refusals.ts'
import { EmployeeContent, EmployeeKey } from './template.ts'

const maxPage = 100

export const employeeStatuses = ['draft', 'published', 'withdrawn'] as const
export type EmployeeStatus = (typeof employeeStatuses)[number]
export const employeeManagers = ['release', 'operator'] as const
export type EmployeeManager = (typeof employeeManagers)[number]

/** An employee as the operator sees it. */
export const CatalogEmployee = z
  .object({
    profile_id: Uuid,
    key: z.string(),
    status: z.enum(employeeStatuses),
    /** What workspaces see, or saw before it was withdrawn; null if it was never published. */
    version: z.int().nullable(),
    /** The number that the draft will have; null without a draft. */
    draft_version: z.int().nullable(),
    name: z.string(),
    /** `release`: new versions come with releases of the product, until an operator changes it. */
    managed_by: z.enum(employeeManagers),
    /** Rises with every change. */
    revision: z.int(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'CatalogEmployee' })
export type CatalogEmployee = z.infer<typeof CatalogEmployee>

export const CatalogEmployeeDetails = CatalogEmployee.extend({
  published: EmployeeContent.nullable(),
  draft: EmployeeContent.nullable(),
}).meta({ id: 'CatalogEmployeeDetails' })
export type CatalogEmployeeDetails = z.infer<typeof CatalogEmployeeDetails>

/** The employee must still have this revision. Without it, the last one to call wins. */
const Revision = z.int().min(1).max(2_147_483_647).optional()

const one = {
  auth: platformAdmin(),
  params: z.object({ profile_id: Uuid }),
  resources: { profile_id: 'employee' },
  missing: refused.employeeNotFound,
  responses: { 200: CatalogEmployeeDetails },
} as const

const exampleContent = {
  name: 'Translator',
  title: 'Technical translator',
  summary: 'Keeps translations of the documentation in step with the original.',
  description: 'Follows changes of pages and translates what is new, in the words of the glossary.',
  good_at: ['translation', 'glossaries'],
  is_builder: false,
  template: {
    coder_profile: 'claude.docs',
    scopes: ['brand:read', 'memory:read'],
    packages: ['boards', 'memory'],
    memory_sources: [{ source_type: 'claude_code', directory: 'sessions' }],
    files: [
      { name: 'PERSONA.md', content: '# Translator\n\nYou translate what has changed, and nothing else.\n' },
    ],
  },
}

export const listCatalog = route({
  id: 'hires.listCatalog',
  method: 'GET',
  path: '/api/v1/admin/employees',
  summary: 'List all employees with their drafts, by key',
  description:
    'Includes employees that no workspace sees. Pass `next_after` of one page as `after` of the next; it is null on the last page.',
  example: { query: { status: 'published', limit: '50' } },
  auth: platformAdmin(),
  query: z.object({
    status: z.enum(employeeStatuses).optional(),
    after: EmployeeKey.optional(),
    limit: pageLimit(maxPage),
  }),
  responses: {
    200: z.object({ items: z.array(CatalogEmployee).max(maxPage), next_after: z.string().nullable() }),
  },
  refusals: [platformAdminRequired],
})

export const getCatalogEmployee = route({
  ...one,
  id: 'hires.getCatalogEmployee',
  method: 'GET',
  path: '/api/v1/admin/employees/{profile_id}',
  summary: 'Get an employee with its draft and all files',
  description: '`published` is the version that workspaces see, and `draft` the one that would be next.',
  refusals: [platformAdminRequired, refused.employeeNotFound],
})

export const createEmployee = route({
  id: 'hires.createEmployee',
  method: 'POST',
  path: '/api/v1/admin/employees',
  summary: 'Create an employee as a draft',
  description: 'Workspaces see it when it is published. The key never changes.',
  example: { body: { key: 'translator', ...exampleContent } },
  auth: platformAdmin(),
  body: EmployeeContent.extend({ key: EmployeeKey }).meta({ id: 'NewEmployee' }),
  responses: { 201: CatalogEmployeeDetails },
  refusals: [platformAdminRequired, refused.employeeKeyTaken],
})

export const changeDraft = route({
  ...one,
  id: 'hires.changeDraft',
  method: 'PUT',
  path: '/api/v1/admin/employees/{profile_id}/draft',
  summary: 'Replace the draft of an employee',
  description:
    'Creates the draft if there is none. What is published stays as it is until the draft is published. An employee of a release is managed by the operator from then on: later releases leave it alone. With `revision`, the call is refused if the employee has changed since.',
  example: { body: exampleContent },
  body: EmployeeContent.extend({ revision: Revision }).meta({ id: 'EmployeeDraft' }),
  refusals: [platformAdminRequired, refused.employeeNotFound, refused.employeeChanged],
})

export const publishEmployee = route({
  ...one,
  id: 'hires.publishEmployee',
  method: 'POST',
  path: '/api/v1/admin/employees/{profile_id}/publish',
  summary: 'Publish the draft of an employee',
  description:
    'The whole template is validated first. Without a draft, an employee that was withdrawn is published again as it was, and for one that is published nothing changes. With `revision`, the call is refused if the employee has changed since: what is published is then what was read.',
  example: { body: {} },
  body: z.object({ revision: Revision }).default({}),
  refusals: [
    platformAdminRequired,
    refused.employeeNotFound,
    refused.employeeChanged,
    refused.templateRefused,
  ],
})

export const withdrawEmployee = route({
  ...one,
  id: 'hires.withdrawEmployee',
  method: 'POST',
  path: '/api/v1/admin/employees/{profile_id}/withdraw',
  summary: 'Withdraw an employee from the catalog',
  description:
    'Workspaces no longer see it, and releases do not bring it back. Its versions and its draft are kept. Repeating the call changes nothing.',
  refusals: [platformAdminRequired, refused.employeeNotFound, refused.neverPublished],
})
