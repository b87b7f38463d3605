import type { Program, TemplateLiteral } from 'oxc-parser'
import { Visitor } from 'oxc-parser'
import { moduleOrder } from './import-rules.ts'

export type SqlName = { schema: string | undefined; name: string; line: number }

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

export const readSqlNames = (program: Program, lineAt: (offset: number) => number): SqlName[] => {
  const found: SqlName[] = []
  const add = (names: readonly { schema: string | undefined; name: string }[], offset: number) =>
    found.push(...names.map((each) => ({ ...each, line: lineAt(offset) })))

  new Visitor({
    TaggedTemplateExpression: (node) => add(namesAnywhere(textOf(node.quasi)), node.start),
    TemplateLiteral: (node) => add(namesAfterKeywords(textOf(node)), node.start),
    Literal: (node) => {
      if (typeof node.value === 'string') add(namesAfterKeywords(node.value), node.start)
    },
  }).visit(program)

  return [...new Map(found.map((each) => [`${each.line} ${each.name}`, each])).values()]
}
