/**
 * What two spellings of one name have in common: full case folding as in Unicode's CaseFolding.txt, in form
 * NFKC, without blanks around it. Names are compared by this key and shown as they were written. The key of
 * what is assigned today never changes with a later Unicode, so it may be stored.
 */
export const foldName = (name: string): string => foldNormalised(foldNormalised(name.normalize('NFD'))).trim()

// Twice, as Unicode's definition of a compatibility caseless match asks for: the first normalisation can
// bring out letters that are still to be folded, as in U+FF33 or in the square of U+3392.
const foldNormalised = (text: string): string => Array.from(text, foldCharacter).join('').normalize('NFKC')

/**
 * JavaScript has no case folding. Lower, upper and lower again is the same for every character, and not only
 * for whole alphabets: the first step takes `ẞ` to `ß`, the second that to `SS`. Two scripts are exceptions:
 * the dotless `ı` is a letter of its own, and Cherokee folds to its capitals. Each character goes alone,
 * because a sigma would otherwise depend on its neighbours.
 */
function foldCharacter(character: string): string {
  if (character === 'ı') return character
  if (/\p{Script=Cherokee}/u.test(character)) return character.toUpperCase()
  return character.toLowerCase().toUpperCase().toLowerCase()
}

/**
 * An e-mail address as it is stored and looked up. Only case is folded: `straße@` and `strasse@` are two mailboxes, and
 * mail for one must not reach the other.
 */
export const foldAddress = (address: string): string => address.trim().normalize('NFC').toLowerCase()
