/** In one text; what comes later is plain text. */
const most = 20

// Not in the middle of a word or an address.
const form =
  /(?<![\p{L}\p{N}_@.+-])@(?:member:(?<person>[1-9]\d{0,8})|agent:(?<agent>[A-Za-z0-9_-]{1,255}))(?![\p{L}\p{N}_-])/gu

/** Of members and agents in a text, such as `@member:12` and `@agent:builder`, without the `@`. */
export function mentionsIn(text: string): string[] {
  const found = new Set<string>()
  for (const [mention] of text.matchAll(form)) {
    found.add(mention.slice(1))
    if (found.size === most) break
  }
  return [...found]
}

/** Those that the text had not mentioned before. */
export function newMentions(before: string, after: string): string[] {
  if (!after.includes('@')) return []
  const known = new Set(mentionsIn(before))
  return mentionsIn(after).filter((mention) => !known.has(mention))
}

const idsOf = (mentions: readonly string[], kind: 'member:' | 'agent:') =>
  mentions.filter((mention) => mention.startsWith(kind)).map((mention) => mention.slice(kind.length))

export const peopleOf = (mentions: readonly string[]): number[] => idsOf(mentions, 'member:').map(Number)
export const agentsOf = (mentions: readonly string[]): string[] => idsOf(mentions, 'agent:')
