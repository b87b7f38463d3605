import { z } from 'zod'
import { route, token } from '../route.ts'
import { pageLimit, Timestamp, Uuid } from '../wire.ts'
import * as refused from './refusals.ts'
import { EmployeeKey, longest, TemplateSummary } from './template.ts'

const maxPage = 100

/** An employee of the catalog, as workspaces see it. */
export const Employee = z
  .object({
    profile_id: Uuid,
    key: z.string().meta({ maxLength: 50 }),
    /** Rises with every publication. */
    version: z.int(),
    name: z.string().meta({ maxLength: longest.name }),
    title: z.string().meta({ maxLength: longest.title }),
    summary: z.string().meta({ maxLength: longest.summary }),
    good_at: z.array(z.string().meta({ maxLength: longest.good_at })).max(longest.good_at_items),
    /** Works on a desk of its own. */
    is_builder: z.boolean(),
    /** Whether there is a template to build a hire from. */
    is_deployable: z.boolean(),
    published_at: Timestamp,
  })
  .meta({ id: 'Employee' })
export type Employee = z.infer<typeof Employee>

export const EmployeeDetails = Employee.extend({
  description: z.string().meta({ maxLength: longest.description }),
  template: TemplateSummary.nullable(),
}).meta({ id: 'EmployeeDetails' })
export type EmployeeDetails = z.infer<typeof EmployeeDetails>

export const listEmployees = route({
  id: 'hires.listEmployees',
  method: 'GET',
  path: '/api/v1/employees',
  summary: 'List the employees of the catalog, by key',
  description:
    'Published employees only. Pass `next_after` of one page as `after` of the next; it is null on the last page.',
  example: { query: { limit: '50' } },
  auth: token(),
  query: z.object({ after: EmployeeKey.optional(), limit: pageLimit(maxPage) }),
  responses: {
    200: z.object({ items: z.array(Employee).max(maxPage), next_after: z.string().nullable() }),
  },
})

export const getEmployee = route({
  id: 'hires.getEmployee',
  method: 'GET',
  path: '/api/v1/employees/{profile_id}',
  summary: 'Get an employee of the catalog',
  description:
    'Shows what the employee brings and may do: coder profile, scopes, packages, memory sources and the names and sizes of its files. `template` is null for an employee that cannot be hired yet.',
  auth: token(),
  params: z.object({ profile_id: Uuid }),
  resources: { profile_id: 'employee' },
  missing: refused.employeeNotFound,
  responses: { 200: EmployeeDetails },
  refusals: [refused.employeeNotFound],
})
