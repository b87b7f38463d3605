import type { FactsBuilder } from './facts-builder.ts'

/** `import a.b`, `import a as b`, `from a import b as c` and `from a import *`. */
export function readPythonImport(builder: FactsBuilder, node: number): void {
  const { syntax, imports } = builder
  const pairs = syntax.fields(node, 'name').map((each): [string, string | undefined] => {
    if (syntax.kind(each) !== 'aliased_import') return [plain(syntax.textOf(each)), undefined]
    return [plain(syntax.textOf(syntax.field(each, 'name'))), syntax.textOf(syntax.field(each, 'alias'))]
  })
  if (syntax.kind(node) === 'import_statement') {
    for (const [from, alias] of pairs) {
      imports.push({ from, names: [alias === undefined ? ['.', from.split('.')[0] ?? ''] : ['*', alias]] })
    }
    return
  }
  const from = plain(syntax.textOf(syntax.field(node, 'module_name')))
  const isAll = syntax.child(node, 'wildcard_import') !== 0
  const names = pairs.map(([name, alias]): [string, string] => [name, alias ?? name])
  imports.push({ from, names, form: 'from', ...(isAll ? { wildcard: true } : {}) })
}

const plain = (text: string): string => text.replace(/\s+/g, '')
