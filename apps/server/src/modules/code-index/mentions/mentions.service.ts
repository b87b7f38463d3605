import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { placesOf } from '../walk/starts.rules.ts'
import { type Mention, mentionsIn } from './mentions.rules.ts'
import { type FoundNode, listByName, listByPlace, type NamedNode } from './mentions.store.ts'

/** Code that texts name. */
export interface NamedCode extends NamedNode {
  /** As a text has named it. */
  readonly mention: string
}

/**
 * The live code that texts name, in one project or in all of the workspace. A mention counts only if exactly one node is
 * meant: nobody is sent to the wrong one of two.
 */
export async function codeNamedIn(
  ctx: BrandCtx,
  texts: readonly string[],
  project_id: string | null,
): Promise<NamedCode[]> {
  const mentions = namesIn(texts)
  const places = mentions.flatMap(({ text }, at) => placesOf(text, at))
  const symbols = mentions.flatMap(({ text, is_symbol }, at) => (is_symbol ? [{ at, name: text }] : []))
  if (places.length === 0) return []
  const [placed, named] = await Promise.all([
    listByPlace(ctx, project_id, places),
    symbols.length === 0 ? [] : listByName(ctx, project_id, symbols),
  ])
  const rows = [...placed, ...named]
  return mentions.flatMap(({ text: mention }, place) => {
    const node = onlyOne(rows.filter(({ at }) => at === place))
    if (!node) return []
    const { project_id, nid, node_id, kind, path, symbol } = node
    return [{ mention, project_id, nid, node_id, kind, path, symbol }]
  })
}

/** The nodes of the best reading, if that is one. */
function onlyOne(rows: readonly FoundNode[]): FoundNode | undefined {
  const best = Math.min(...rows.map(({ rank }) => rank))
  const [first, ...others] = rows.filter(({ rank }) => rank === best)
  return others.length === 0 ? first : undefined
}

const mostOfAll = 50
/** What a list of texts mentions, each once. */
export function namesIn(texts: readonly string[]): Mention[] {
  const all = new Map(texts.flatMap(mentionsIn).map((mention) => [mention.text, mention]))
  return [...all.values()].slice(0, mostOfAll)
}

interface NodePlace {
  readonly path: string
  readonly symbol: string
}
const placeKey = ({ path, symbol }: NodePlace): string => `${path}#${symbol}`
// No node has a name and no path.
const nameKey = (symbol: string): string => placeKey({ path: '', symbol })

/** A mention can mean a node only if they have a key in common; some that have one mean something else. */
export const keysOfMention = ({ text, is_symbol }: Mention): string[] => [
  ...placesOf(text, 0).map(placeKey),
  ...(is_symbol ? [nameKey(text)] : []),
]
export const keysOfNode = (place: NodePlace): string[] =>
  place.symbol === '' ? [placeKey(place)] : [placeKey(place), nameKey(place.symbol)]
