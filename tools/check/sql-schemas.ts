import type { Argument, Program, TemplateLiteral } from 'oxc-parser'
import { Visitor } from 'oxc-parser'
import { moduleOrder } from './import-rules.ts'

// `schema` is undefined where a Kysely call names a table without one.
export type SqlName = { schema: string | undefined; name: string; line: number }

const tableCall =
  /^(selectFrom|insertInto|replaceInto|updateTable|deleteFrom|mergeInto|from|using|table|\w+Join(Lateral)?)$/
const schemaNames = moduleOrder.map(schemaOf)
const anyModuleTable = new RegExp(`(?<![\\w.])(${schemaNames.join('|')})"?\\."?(\\w+)`, 'gi')
const tableAfterKeyword =
  /\b(?:from|join|into|update|using|table)\s+(?:only\s+|lateral\s+)?"?(\w+)"?\."?(\w+)"?\s*(\(?)/gi

export function schemaOf(module: string): string {
  return module.replaceAll('-', '_')
}

// `is distinct from a.b` and `extract(epoch from a.b)` read a column of an alias, not a table.
const withoutColumnFroms = (text: string): string =>
  text
    .replace(/--[^\n]*|\/\*[\s\S]*?\*\//g, ' ')
    .replace(/\bdistinct\s+from\b/gi, ' ')
    .replace(/\b(extract|substring|trim|overlay)\s*\([^()]*?\bfrom\b/gi, ' ')

const textOf = (node: TemplateLiteral): string => node.quasis.map((each) => each.value.raw).join('?')

// Functions of the platform schema, such as platform.now(), are open to all; its tables are not.
const namesAfterKeywords = (text: string) =>
  [...withoutColumnFroms(text).matchAll(tableAfterKeyword)]
    .filter(([, schema, , bracket]) => !(schema === 'platform' && bracket === '('))
    .map(([, schema, name]) => ({ schema: schema?.toLowerCase(), name: `${schema}.${name}` }))

const namesAnywhere = (text: string) =>
  [...withoutColumnFroms(text).matchAll(anyModuleTable)].map(([, schema, name]) => ({
    schema: schema?.toLowerCase(),
    name: `${schema}.${name}`,
  }))

const stringsOf = (node: Argument | undefined): string[] => {
  if (node?.type === 'Literal' && typeof node.value === 'string') return [node.value]
  if (node?.type === 'TemplateLiteral' && node.expressions.length === 0) return [textOf(node)]
  if (node?.type !== 'ArrayExpression') return []
  return node.elements.flatMap((each) =>
    each?.type === 'Literal' && typeof each.value === 'string' ? [each.value] : [],
  )
}

export const readSqlNames = (program: Program, lineAt: (offset: number) => number): SqlName[] => {
  const found: SqlName[] = []
  const bare: SqlName[] = []
  const commonTables = new Set<string>()
  const add = (names: readonly { schema: string | undefined; name: string }[], offset: number) =>
    found.push(...names.map((each) => ({ ...each, line: lineAt(offset) })))

  new Visitor({
    CallExpression: (node) => {
      if (node.callee.type !== 'MemberExpression' || node.callee.property.type !== 'Identifier') return
      const method = node.callee.property.name
      for (const text of stringsOf(node.arguments[0])) {
        const [table = ''] = text.trim().split(/\s+/)
        const [schema, name] = table.split('.')
        if (method === 'withSchema') add([{ schema: text, name: text }], node.start)
        else if (/^with(Recursive)?$/.test(method)) commonTables.add(text.replace(/\(.*/, ''))
        else if (method === 'raw') add(namesAnywhere(text), node.start)
        else if (!tableCall.test(method)) continue
        else if (name === undefined) bare.push({ schema: undefined, name: table, line: lineAt(node.start) })
        else add([{ schema, name: table }], node.start)
      }
    },
    TaggedTemplateExpression: (node) => add(namesAnywhere(textOf(node.quasi)), node.start),
    TemplateLiteral: (node) => add(namesAfterKeywords(textOf(node)), node.start),
    Literal: (node) => {
      if (typeof node.value === 'string') add(namesAfterKeywords(node.value), node.start)
    },
    // The database interface of a *.tables.ts file: its keys are the tables the module claims to own.
    TSPropertySignature: (node) => {
      const key = node.key.type === 'Literal' ? String(node.key.value) : ''
      const [schema, name] = key.split('.')
      if (name !== undefined) add([{ schema, name: key }], node.start)
    },
  }).visit(program)

  const all = [...found, ...bare.filter(({ name }) => !commonTables.has(name))]
  return [...new Map(all.map((each) => [`${each.line} ${each.name}`, each])).values()]
}
