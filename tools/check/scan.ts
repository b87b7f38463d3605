import type { CallExpression, Expression, MemberExpression } from 'oxc-parser'
import { parseSync, Visitor } from 'oxc-parser'
import { readRepoFile } from './repo-files.ts'
import { readSqlNames, type SqlName } from './sql-schemas.ts'

export type Import = { specifier: string; typeOnly: boolean; line: number }
type Use = { name: string; line: number }
export type Source = { path: string; imports: Import[]; uses: Use[]; sql: SqlName[]; errors: Use[] }

const lineCounter = (text: string) => {
  const ends = [...text.matchAll(/\n/g)].map((match) => match.index)
  return (offset: number): number => ends.filter((end) => end < offset).length + 1
}

const nameOf = (node: MemberExpression): string | undefined => {
  if (node.property.type === 'Identifier' && !node.computed) return node.property.name
  return node.property.type === 'Literal' ? String(node.property.value) : undefined
}

const ownerOf = (node: Expression): string | undefined => {
  if (node.type === 'Identifier') return node.name
  return node.type === 'MemberExpression' ? nameOf(node) : undefined
}

/** `ctx.tx(async (other) => …)`: the context outside of the transaction stays within reach inside it. */
const leavesOuterCtx = ({ callee, arguments: [work] }: CallExpression): boolean => {
  if (callee.type !== 'MemberExpression' || !/^(tx|snapshot)$/.test(nameOf(callee) ?? '')) return false
  if (work?.type !== 'ArrowFunctionExpression' && work?.type !== 'FunctionExpression') return false
  const [first] = work.params
  return first !== undefined && !(first.type === 'Identifier' && first.name === 'ctx')
}

const watched = /^(process\.env|Date\.now|Math\.random|performance\.now|crypto\.\w+)$/

const scanSource = (path: string, text: string): Source => {
  const lineAt = lineCounter(text)
  const { program, errors } = parseSync(path, text)
  const imports: Import[] = []
  const uses: Use[] = []
  const addImport = (node: Expression | null, typeOnly: boolean) => {
    if (node?.type === 'Literal' && typeof node.value === 'string') {
      imports.push({ specifier: node.value, typeOnly, line: lineAt(node.start) })
    }
  }
  const addUse = (name: string, offset: number) => uses.push({ name, line: lineAt(offset) })

  new Visitor({
    // `import { type A }` still loads the file at run time, so only a whole `import type` counts as one.
    ImportDeclaration: (node) => {
      addImport(node.source, node.importKind === 'type')
      const names = node.specifiers.map((each) => ('imported' in each ? each.imported : undefined))
      const takesEnv = names.some((name) => name?.type === 'Identifier' && name.name === 'env')
      if (takesEnv && /^(node:)?process$/.test(node.source.value)) addUse('process.env', node.start)
    },
    ExportNamedDeclaration: (node) => addImport(node.source, node.exportKind === 'type'),
    ExportAllDeclaration: (node) => addImport(node.source, node.exportKind === 'type'),
    ImportExpression: (node) => addImport(node.source, false),
    TSImportType: (node) => addImport(node.source, true),
    MemberExpression: (node) => {
      const name = `${ownerOf(node.object)}.${nameOf(node)}`
      if (watched.test(name)) addUse(name, node.start)
    },
    VariableDeclarator: (node) => {
      if (node.id.type !== 'ObjectPattern' || node.init == null || ownerOf(node.init) !== 'process') return
      const keys = node.id.properties.map((each) => (each.type === 'Property' ? each.key : undefined))
      const takesEnv = keys.some((key) => key?.type === 'Identifier' && key.name === 'env')
      if (takesEnv) addUse('process.env', node.start)
    },
    NewExpression: (node) => {
      if (ownerOf(node.callee) === 'Date' && node.arguments.length === 0) addUse('new Date()', node.start)
    },
    CallExpression: (node) => {
      if (node.callee.type === 'Identifier' && node.callee.name === 'Date') addUse('Date()', node.start)
      if (leavesOuterCtx(node)) addUse('outer ctx', node.start)
    },
  }).visit(program)

  return {
    path,
    imports,
    uses,
    sql: /\.store\.ts$/.test(path) ? readSqlNames(program, lineAt) : [],
    errors: errors.map((error) => ({ name: error.message, line: lineAt(error.labels[0]?.start ?? 0) })),
  }
}

export const scanFiles = (root: string, paths: readonly string[]): Source[] =>
  paths.map((path) => scanSource(path, readRepoFile(root, path)))
