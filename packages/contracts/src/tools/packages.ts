import { isRead } from '../route.ts'
import { type Scope, scopes } from '../scopes.ts'
import type { BuiltInPackage, ToolMethod } from './tool.ts'
import { tools } from './tools.ts'

/** A package that comes with the product, as the marketplace lists it. */
export interface BuiltInPackageData {
  readonly key: BuiltInPackage
  readonly title: string
  readonly description: string
  /** Oldest first; the last one is what the product has now. */
  readonly versions: readonly [string, ...string[]]
}

export const builtIns: readonly BuiltInPackageData[] = [
  {
    key: 'boards',
    title: 'Boards',
    description: 'Boards, cards, comments, claims, runs, planning, delivery, imports and the inbox.',
    versions: ['1.26.0', '1.27.0'],
  },
  {
    key: 'memory',
    title: 'Memory',
    description: 'Memories of agents and where they come from.',
    versions: ['1.0.0'],
  },
  {
    key: 'lessons',
    title: 'Lessons',
    description: 'Lessons about code, projects and the index of code.',
    versions: ['1.0.0'],
  },
  {
    key: 'workspace',
    title: 'Workspace',
    description: 'People, agents, features, audit log and webhooks.',
    versions: ['1.0.0'],
  },
  { key: 'desks', title: 'Desks', description: 'Updates of machines.', versions: ['1.0.0'] },
  { key: 'profiles', title: 'Profiles', description: 'Build settings of coding tools.', versions: ['1.0.0'] },
]

export interface PackageMethod extends ToolMethod {
  readonly tool: string
  readonly action: string
  /** The id of the route that it stands for. */
  readonly route: string
  readonly summary: string
  readonly is_read: boolean
  /** What a token needs for it. */
  readonly scopes: readonly Scope[]
}

/** The methods that this version of a package has, in the order of the tools. */
export function methodsOf(key: BuiltInPackage, version: string): readonly PackageMethod[] {
  return methods.filter((method) => method.package === key && isNotAfter(method.since, version))
}

const methods: readonly PackageMethod[] = tools.flatMap(({ name: tool, actions }) =>
  actions.flatMap(({ name: action, method, route, summary }) =>
    method
      ? [
          {
            ...method,
            tool,
            action,
            route: route.id,
            summary,
            is_read: isRead(route),
            scopes: route.auth.kind === 'token' ? route.auth.scopes : [],
          },
        ]
      : [],
  ),
)

/** What a version may touch: the scopes that its methods need, in the order of all scopes. */
export const scopesOf = (key: BuiltInPackage, version: string): readonly Scope[] => {
  const needed = new Set(methodsOf(key, version).flatMap((method) => method.scopes))
  return scopes.filter((scope) => needed.has(scope))
}

const numbersOf = (version: string): number[] => version.split('.').map(Number)

function isNotAfter(since: string, version: string): boolean {
  const [one, other] = [numbersOf(since), numbersOf(version)]
  const at = one.findIndex((number, index) => number !== other[index])
  return at === -1 || (one[at] ?? 0) < (other[at] ?? 0)
}
