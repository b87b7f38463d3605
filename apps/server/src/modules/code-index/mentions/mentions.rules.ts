/** A text that may name code: a place such as `src/a.ts#Store`, or the name of a symbol alone. */
export interface Mention {
  /** As it is compared: without `./`, brackets of a call and numbers of lines. */
  readonly text: string
  /** Whether it can be the name of a symbol; otherwise it is a place only. */
  readonly is_symbol: boolean
}

const mostMentions = 50
const longest = 400

const codeSpan = /`([^`\n]+)`/g
const word = /[\p{L}\p{N}_$@.\-/#:~+]+(?:\(\))?/gu
const identifier = String.raw`[\p{L}_$#][\p{L}\p{N}_$]*`
const symbolForm = new RegExp(`^${identifier}(?:(?:\\.|::)${identifier})*$`, 'u')
const placeForm = /^[^\s`"'<>|*?\\:]+$/
const lines = /(?::\d+(?:[:-]\d+)?|#L\d+(?:-L?\d+)?)$/

/**
 * What a text may mean by code, each once, in its order: words in backticks, and outside of them what ordinary words do not
 * look like. Whether there is such code is for the index to say.
 */
export function mentionsIn(text: string): Mention[] {
  const found = new Map<string, Mention>()
  const take = (words: string, isCode: boolean) => {
    const mention = found.size < mostMentions && mentionOf(words, isCode)
    if (mention && !found.has(mention.text)) found.set(mention.text, mention)
  }
  const rest = text.replaceAll(codeSpan, (_, inside: string) => {
    take(inside.trim(), true)
    return ' '
  })
  for (const [each] of rest.matchAll(word)) take(each, false)
  return [...found.values()]
}

function mentionOf(given: string, isCode: boolean): Mention | undefined {
  const isCall = /\([^()]*\)$/.test(given)
  const text = given
    .replace(/\([^()]*\)$/, '')
    .replace(/(?<![.,:;!?])[.,:;!?]+$/, '')
    .replace(lines, '')
    .replace(/^(?:\.\/)+/, '')
  if (text === '' || text.length > longest || text.includes('//')) return undefined
  const is_symbol = isSymbol(text, isCode, isCall)
  if (!is_symbol && !isPlace(text)) return undefined
  return { text: is_symbol ? text.replaceAll('::', '.') : text, is_symbol }
}

/** A single word is a name only where it cannot be an ordinary one. */
function isSymbol(text: string, isCode: boolean, isCall: boolean): boolean {
  if (!symbolForm.test(text)) return false
  if (isCall || /[.]|::/.test(text)) return true
  return isCode && /[\p{Lu}_$\d]/u.test(text)
}

/** It has a folder or an ending. */
function isPlace(text: string): boolean {
  if (!placeForm.test(text) || text.startsWith('/')) return false
  const [path = ''] = text.split('#')
  if (
    path
      .split('/')
      .some((part, at, all) => part === '..' || part === '.' || (part === '' && at < all.length - 1))
  )
    return false
  return /[^/]\//.test(path) || /[^.]\.\p{L}[\p{L}\p{N}]{0,9}$/u.test(path)
}
