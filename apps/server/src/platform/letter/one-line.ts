/** Longer than any honest name of a person or a workspace, and shorter than what hides the rest of a letter. */
const maxLength = 100

/**
 * What people typed, as it may stand in a header or in a sentence of a letter. A line break would start a header
 * or a paragraph that nobody but us should write; marks of direction would turn the sentence around them.
 */
export function oneLine(text: string, length = maxLength): string {
  const plain = text
    .replace(/[\p{Bidi_Control}\p{Cs}\u200b\u2060\ufeff]/gu, '')
    .replace(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
  const characters = Array.from(plain)
  return characters.length <= length ? plain : `${characters.slice(0, length - 1).join('')}…`
}
