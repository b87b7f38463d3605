import { posix } from 'node:path'
import { forbiddenNames, mayReadClock, mayReadEnv, moduleOrder, roles } from './import-rules.ts'
import { placeOf } from './place.ts'
import type { Violation } from './repo-files.ts'
import type { Source } from './scan.ts'
import { schemaOf } from './sql-schemas.ts'

const kebab = /^[a-z0-9]+(-[a-z0-9]+)*$/

const moduleNameFault = (path: string, module: string): string | undefined => {
  const [noun = '', role, ...rest] = posix
    .basename(path)
    .replace(/(\.pg)?(\.test)?\.tsx?$/, '')
    .split('.')
  if (role !== undefined && (!roles.includes(role) || rest.length > 0)) {
    return `.${[role, ...rest].join('.')} is not a role; known are ${roles.join(', ')}`
  }
  if (role === 'module' && noun !== module) return `the module file of ${module} is ${module}.module.ts`
  const isNested = posix.dirname(path) !== `apps/server/src/modules/${module}`
  return noun === 'public' && isNested ? 'public.ts is the door of a module and stands at its top' : undefined
}

export const checkName = ({ path }: Source): Violation[] => {
  if (!/^(apps|packages|tools)\//.test(path)) return []
  const { module } = placeOf(path)
  const folders = posix.dirname(path).split('/')
  const parts = [...folders, ...posix.basename(path).split('.')]
  const forbidden = parts.find((part) => forbiddenNames.includes(part))
  const odd = parts.find((part) => !kebab.test(part))
  const messages = [
    forbidden === undefined ? undefined : `${forbidden} says nothing; name the file after what it holds`,
    odd === undefined ? undefined : `${odd} is not kebab-case`,
    module === undefined || moduleOrder.includes(module) ? undefined : `${module} is not in the module order`,
    module === undefined ? undefined : moduleNameFault(path, module),
  ]
  return messages
    .filter((message) => message !== undefined)
    .map((message) => ({ path, line: 1, rule: 'file-name', message }))
}

const ruleOfUse = (path: string, name: string): string | undefined => {
  const isRules = path.endsWith('.rules.ts')
  if (name === 'outer ctx') return placeOf(path).module === undefined ? undefined : 'outer-ctx'
  if (name === 'process.env') return mayReadEnv(path) ? undefined : 'env'
  if (name === 'Math.random' || name.startsWith('crypto.')) return isRules ? 'random' : undefined
  if (name === 'performance.now') return isRules ? 'clock' : undefined
  return isRules || !mayReadClock(path) ? 'clock' : undefined
}

export const checkUses = ({ path, uses }: Source): Violation[] =>
  uses.flatMap(({ name, line }) => {
    const rule = ruleOfUse(path, name)
    if (rule === undefined) return []
    const message =
      rule === 'outer-ctx'
        ? 'name what a transaction hands in `ctx`, so that the context outside is out of reach'
        : `${name} is not allowed here`
    return [{ path, line, rule, message }]
  })

export const checkSchemas = ({ path, sql }: Source): Violation[] => {
  const { module, isTest } = placeOf(path)
  if (module === undefined || isTest) return []
  const schema = schemaOf(module)
  return sql
    .filter((each) => each.schema !== schema)
    .map(({ name, line, ...each }) => {
      const fault = each.schema === undefined ? 'names no schema' : `is not in schema ${schema}`
      return { path, line, rule: 'own-schema', message: `${name} ${fault}` }
    })
}

export const checkParsed = ({ path, errors }: Source): Violation[] =>
  errors.map(({ name, line }) => ({ path, line, rule: 'parse', message: name }))
