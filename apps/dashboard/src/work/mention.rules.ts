/** What is being typed after an `@`: where the sign stands, and the letters after it up to the caret. */
interface Typed {
  readonly at: number
  readonly letters: string
}

// Two words at most, because names have spaces; not in the middle of a word or an address.
const typed = /(?<![\p{L}\p{N}_@.+-])@(?<letters>[\p{L}\p{N}_'’-]{0,40}(?: [\p{L}\p{N}_'’-]{1,40})?)$/u

export function typedMention(text: string, caret: number): Typed | undefined {
  const found = typed.exec(text.slice(0, caret))
  return found ? { at: found.index, letters: found.groups?.letters ?? '' } : undefined
}

/** Names of which a word begins with the letters, and those that begin with them first. */
export function namesLike<Named extends { readonly name: string }>(
  all: readonly Named[],
  letters: string,
): readonly Named[] {
  const wanted = letters.toLocaleLowerCase()
  const place = ({ name }: Named): number => ` ${name.toLocaleLowerCase()}`.indexOf(` ${wanted}`)
  return all.filter((each) => place(each) >= 0).toSorted((one, other) => place(one) - place(other))
}

/** The text with the mention in the place of what was typed, and where the caret is then. */
export function withMention(
  text: string,
  { at, letters }: Typed,
  key: string,
): { readonly text: string; readonly caret: number } {
  const mention = `@${key} `
  return {
    text: text.slice(0, at) + mention + text.slice(at + 1 + letters.length).replace(/^ /, ''),
    caret: at + mention.length,
  }
}
