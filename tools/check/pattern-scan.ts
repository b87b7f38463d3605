import { type Expression, parseSync, Visitor } from 'oxc-parser'
import { listTypeScript, readRepoFile } from './repo-files.ts'

/** Literals with the places where they stand, and how many patterns are put together at run time. */
export type Patterns = { literals: Map<string, string[]>; built: number }

const shipped = /^(apps\/[a-z-]+\/src|packages\/(contracts|client)\/)/

/** The regular expressions of what is shipped. Those of tests and tools meet no text of others. */
export const scanPatterns = (root: string): Patterns => {
  const literals = new Map<string, string[]>()
  let built = 0
  for (const path of listTypeScript(root).filter(
    (each) => shipped.test(each) && !/\.test\.tsx?$/.test(each),
  )) {
    const text = readRepoFile(root, path)
    const addBuilt = (callee: Expression) => {
      if (callee.type === 'Identifier' && callee.name === 'RegExp') built += 1
    }
    new Visitor({
      Literal: (node) => {
        if (!('regex' in node)) return
        const literal = `/${node.regex.pattern}/${node.regex.flags}`
        const place = `${path}:${text.slice(0, node.start).split('\n').length}`
        literals.set(literal, [...(literals.get(literal) ?? []), place])
      },
      NewExpression: ({ callee }) => addBuilt(callee),
      CallExpression: ({ callee }) => addBuilt(callee),
    }).visit(parseSync(path, text).program)
  }
  return { literals, built }
}
