import { z } from 'zod'
import { scopeMissing } from '../identity/refusals.ts'
import { route } from '../route.ts'
import { queryInteger, text, Uuid } from '../wire.ts'
import { codeRead, inProject } from './projects.ts'
import * as refused from './refusals.ts'

const CodeNode = z
  .object({
    id: Uuid,
    kind: z.enum(['folder', 'file', 'symbol']),
    path: z.string().describe('Repository path; empty for the root'),
    symbol: z.string().nullable().describe('Qualified name in the file; null unless the node is a symbol'),
    hops: z.int().describe('Distance from the start'),
    degree: z.object({ import: z.int(), call: z.int(), contains: z.int() }),
    hub: z.boolean().describe('Has more edges of one kind than the graph is followed through'),
  })
  .meta({ id: 'CodeNode' })

const CodeEdge = z
  .object({
    from: Uuid,
    to: Uuid,
    kind: z.enum(['import', 'symbol_import', 'call', 'contains']),
  })
  .meta({ id: 'CodeEdge' })

export const CodeGraph = z
  .object({
    commit: z.string(),
    version: z.int(),
    nodes: z.array(CodeNode),
    edges: z.array(CodeEdge),
    left_out: z.object({
      nodes: z.int().describe('Nodes within the depth beyond the first 1,000, of the level that was cut'),
      edges: z
        .int()
        .describe('Edges between a returned node and one that is not, and those beyond the first 5,000'),
    }),
  })
  .meta({ id: 'CodeGraph' })
export type CodeGraph = z.infer<typeof CodeGraph>

export const getGraph = route({
  ...codeRead,
  ...inProject,
  database: 'code_index',
  id: 'code.getGraph',
  method: 'GET',
  path: '/api/v1/projects/{project_id}/graph',
  summary: 'Get the code around a file, folder or symbol',
  description:
    'Returns the nodes within `depth` of `path` over imports, calls and containment in both directions, nearest first, and the edges between them: at most 1,000 nodes and 5,000 edges; `left_out` counts the rest. A node with more than 25 edges of one kind is returned, and the graph is not followed through it unless it is the start. While a new index is being built, the last complete one is returned.',
  example: { query: { path: 'src/engine.ts#Engine', depth: '1' } },
  query: z.object({
    path: text(1, 1600)
      .optional()
      .describe('`<path>`, `<path>#<Symbol.name>` or `<folder>/`; the root of the repository by default'),
    depth: queryInteger(0, 3).default(1).describe('0 to 3'),
  }),
  responses: { 200: CodeGraph },
  refusals: [scopeMissing, refused.projectNotFound, refused.noReadyIndex, refused.codeNotFound],
})
