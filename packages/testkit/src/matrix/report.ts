import type { Cell, MatrixResult } from './matrix.ts'

/** Where the part of the tool gateway begins, which another file writes. */
const toolsHeading = '## Through tools'

/** The document in its two parts. Each is written by the file that has found it and leaves the other alone. */
export function partsOf(document: string): { routes: string; tools: string } {
  const at = document.indexOf(`\n${toolsHeading}\n`)
  return at < 0
    ? { routes: document, tools: '' }
    : { routes: document.slice(0, at), tools: document.slice(at) }
}

/** The matrix through tools as a part of the document. */
export function toolsReport({ cells, pairs }: MatrixResult, both_ways: number): string {
  return `
${toolsHeading}

Written by \`conformance/gateway/tool-matrix.test.ts\`. Cells of the same kind for every action
of every tool: with ids of the caller's own workspace, and with one of them, or all, of a foreign one or of none. A tool call
has to get the status that the contract says, and a foreign id the same text and statements as a missing one. Every call that
changes nothing is made over HTTP as well: the status and the statements have to be equal. Callers whose credential is refused
call one action of each tool; sessions are refused, because tools take tokens alone.

- Cells: ${cells.length}
- Foreign compared with missing: ${pairs.length}
- Compared with HTTP: ${both_ways}

${table('Caller', cells, pairs, ({ caller }) => caller)}
`
}

/** The matrix as a document. Nothing in it depends on when or where it was made. */
export function isolationReport({ cells, pairs }: MatrixResult): string {
  return `# Isolation of workspaces

Written by \`conformance/platform/isolation/matrix.test.ts\` from the contracts; do not edit. Every route that is not
public is called as every kind of caller with every combination of ids: of the caller's own workspace, of a
foreign one, of none, and malformed ones, and where it takes a body also with one that cannot be parsed, holds a
NUL or has another content type. Callers whose credential is refused come with ids of one kind at a time, and with
a body that cannot be parsed. The expected status is worked out from the contract by an oracle that shares no code
with the server. Each call with a foreign id is compared with the same call with a missing id:
status, headers, body and the statements sent to the database have to be equal.

- Cells: ${cells.length}
- Foreign compared with missing: ${pairs.length}

## By route

${table('Route', cells, pairs, ({ route }) => route)}

## By caller

${table('Caller', cells, pairs, ({ caller }) => caller)}
`
}

function table(
  title: string,
  cells: readonly Cell[],
  pairs: readonly Cell[],
  keyOf: (cell: Cell) => string,
): string {
  const statuses = [...new Set(cells.map(({ expected }) => expected))].sort((a, b) => a - b)
  const keys = [...new Set(cells.map(keyOf))]
  const rows = keys.map((key) => {
    const own = cells.filter((cell) => keyOf(cell) === key)
    const counts = statuses.map((status) => own.filter(({ expected }) => expected === status).length)
    return [key, own.length, ...counts, pairs.filter((cell) => keyOf(cell) === key).length]
  })
  const head = [title, 'Cells', ...statuses, 'Compared']
  const line = (values: readonly (string | number)[]) => `| ${values.join(' | ')} |`
  return [line(head), line(head.map((_, at) => (at === 0 ? '---' : '--:'))), ...rows.map(line)].join('\n')
}
