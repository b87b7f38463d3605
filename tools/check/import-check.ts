import { importRules, moduleOrder } from './import-rules.ts'
import { type Place, placeOf, ruleKeyOf } from './place.ts'
import type { Violation } from './repo-files.ts'
import { resolveImport, type Target, type Workspace } from './resolve-import.ts'
import type { Import, Source } from './scan.ts'

type Fault = { rule: string; message: string }

const matches = (token: string, patterns: readonly string[] = []): boolean =>
  patterns.some((each) => (each.endsWith('*') ? token.startsWith(each.slice(0, -1)) : each === token))

// Benches send what stores send, without the product around it.
const isMeasured = (from: Place, to: Place): boolean => from.zone === 'bench' && to.role === 'store'

const tokenOf = (from: Place, target: Target & { kind: 'library' | 'file' }): string => {
  if (target.kind === 'library') return `lib:${target.name}`
  const to = placeOf(target.path)
  if (to.zone === undefined) return 'unknown'
  if (to.isTest) return 'test'
  if (ruleKeyOf(from) === 'workspace:test' && to.workspace === from.workspace) return 'own-workspace'
  if (to.zone !== 'module') return to.zone
  if (to.module === from.module) return `own:${to.role}`
  if (isMeasured(from, to)) return 'store'
  if (target.via === 'alias') return 'door'
  return to.role === 'module' ? 'module-entry' : 'inside'
}

const moduleFault = (from: Place, to: Place, via: string, specifier: string): Fault | undefined => {
  if (to.module === undefined || (to.module === from.module && via !== 'alias')) return undefined
  const isDoor = via === 'alias' && to.path === `apps/server/src/modules/${to.module}/public.ts`
  const isEntry = to.role === 'module' && from.module === undefined
  if (isMeasured(from, to)) return undefined
  if (!isDoor && !isEntry) {
    return {
      rule: 'past-the-door',
      message: `${specifier} reaches into ${to.module}; use #modules/${to.module}`,
    }
  }
  const rank = moduleOrder.indexOf(to.module)
  if (rank < 0) return { rule: 'module-order', message: `${to.module} is not in the module order` }
  if (from.module === undefined || from.isTest || rank < moduleOrder.indexOf(from.module)) return undefined
  return {
    rule: 'module-order',
    message: `${to.module} is not to the left of ${from.module}; declare a port and let ${to.module} fill it`,
  }
}

const doorFault = (from: Place, to: Place, via: string, specifier: string): Fault | undefined => {
  if (via !== 'relative') return undefined
  if (from.module !== undefined && /^(platform|inside)\//.test(to.zone ?? '')) {
    return { rule: 'alias', message: `${specifier} must be written #platform/…` }
  }
  const bothWorkspaces = from.workspace !== undefined && to.workspace !== undefined
  if (!bothWorkspaces || from.workspace === to.workspace) return undefined
  return {
    rule: 'workspace-import',
    message: `${specifier} leaves its workspace; import the package by name`,
  }
}

const faultOf = (from: Place, each: Import, target: Target): Fault | undefined => {
  if (target.kind === 'unknown') {
    return { rule: 'unresolved', message: `${each.specifier} is neither an alias, an export nor a package` }
  }
  if (target.kind === 'file') {
    const to = placeOf(target.path)
    const fault =
      moduleFault(from, to, target.via, each.specifier) ?? doorFault(from, to, target.via, each.specifier)
    if (fault !== undefined) return fault
  }
  const key = ruleKeyOf(from)
  const { value = [], type = [], never = [] } = importRules[key] ?? {}
  const token = tokenOf(from, target)
  if (!matches(token, never) && matches(token, each.typeOnly ? [...value, ...type] : value)) return undefined
  const hint = matches(token, type) && !each.typeOnly ? ' except by `import type`' : ''
  const rule = from.module === undefined ? 'workspace-import' : 'role-import'
  return { rule, message: `${key} may not import ${each.specifier} (${token})${hint}` }
}

export const checkImports = (source: Source, workspaces: readonly Workspace[]): Violation[] => {
  const from = placeOf(source.path)
  if (from.zone === undefined) {
    const message = 'no import rule covers this folder; add it to the zones'
    return [{ path: source.path, line: 1, rule: 'unknown-place', message }]
  }
  return source.imports.flatMap((each) => {
    const fault = faultOf(from, each, resolveImport(source.path, each.specifier, workspaces))
    return fault === undefined ? [] : [{ path: source.path, line: each.line, ...fault }]
  })
}
