import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { Language, type Node, Parser } from 'web-tree-sitter'
import { GrammarNames, root, Syntax, startParser } from './syntax.ts'

const shape = (node: Node): string =>
  `${node.type} ${node.startIndex}-${node.endIndex}(${node.namedChildren.map((each) => each && shape(each)).join(' ')})`
const shapeOf = (syntax: Syntax, node: number): string =>
  `${syntax.kind(node)} ${syntax.start(node)}-${syntax.end(node)}(${syntax
    .children(node)
    .map((each) => shapeOf(syntax, each))
    .join(' ')})`

test('the nodes read step by step are those of the library', async () => {
  const steps = await startParser()
  const path = import.meta.resolve('@vscode/tree-sitter-wasm/wasm/tree-sitter-typescript.wasm')
  const language = await Language.load(fileURLToPath(path))
  const parser = new Parser()
  parser.setLanguage(language)
  for (const text of [
    await readFile(fileURLToPath(import.meta.url), 'utf8'),
    '',
    'let broken = (\n"😀" class {',
  ]) {
    const tree = parser.parse(text)
    if (!tree) throw new Error('nothing was parsed')
    const syntax = new Syntax(text, tree, new GrammarNames(language), steps)
    expect(shapeOf(syntax, root)).toBe(shape(tree.rootNode))
    const name = tree.rootNode
      .descendantsOfType('variable_declarator')[0]
      ?.childForFieldName('name')?.startIndex
    const declarators = Array.from({ length: syntax.size }, (_, at) => at).filter(
      (at) => syntax.kind(at) === 'variable_declarator',
    )
    if (name !== undefined) expect(syntax.start(syntax.field(declarators[0] ?? 0, 'name'))).toBe(name)
    tree.delete()
  }
})
