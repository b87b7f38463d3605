import { marked, type Token, type Tokens } from 'marked'

/** What a text may consist of where nothing in it may be markup. */
const plain = new Set(['text', 'escape'])

export interface ReadTable {
  readonly columns: readonly string[]
  /** Texts as a reader sees them, by column. */
  readonly rows: readonly Readonly<Record<string, string>>[]
  /** Kinds of markup that stand in a cell. */
  readonly markup: readonly string[]
  /** Kinds of blocks, in order. */
  readonly blocks: readonly string[]
}

/** The one table of a Markdown document, read with GitHub's extensions. */
export function readTable(text: string): ReadTable {
  const tokens = marked.lexer(text).filter(({ type }) => type !== 'space')
  const tables = tokens.filter((token): token is Tokens.Table => token.type === 'table')
  const [table] = tables
  const columns = table?.header.map(({ text: name }) => name.replaceAll('\\', '')) ?? []
  const cells = table?.rows.flat() ?? []
  return {
    columns,
    rows: (table?.rows ?? []).map((row) =>
      Object.fromEntries(row.map((cell, at) => [columns[at] ?? '', shown(cell.tokens)])),
    ),
    markup: cells.flatMap((cell) => kindsIn(cell.tokens)).filter((kind) => !plain.has(kind)),
    blocks: tokens.map(({ type }) => type),
  }
}

const kindsIn = (tokens: readonly Token[]): string[] =>
  tokens.flatMap((token) => [token.type, ...('tokens' in token ? kindsIn(token.tokens ?? []) : [])])

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }

/** As it is shown: rendered, and without what a browser takes for a character of another name. */
function shown(tokens: readonly Token[]): string {
  return marked.Parser.parseInline([...tokens]).replace(
    /&(#?\w+);/g,
    (whole, name: string) => entities[name] ?? `?${whole}`,
  )
}
