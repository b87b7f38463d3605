/** Longer than any honest name, and short enough not to hide the rest of an e-mail. */
const maxLength = 100

/**
 * Makes user input safe for a header or a sentence of an e-mail. A line break would start a header or a paragraph of the
 * user's choice; direction marks would reverse the sentence around them.
 */
export function oneLine(text: string, length = maxLength): string {
  const plain = text
    .replace(/[\p{Bidi_Control}\p{Cs}\u200b\u2060\ufeff]/gu, '')
    .replace(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
  const characters = Array.from(plain)
  return characters.length <= length ? plain : `${characters.slice(0, length - 1).join('')}…`
}
