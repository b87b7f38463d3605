/** The words of a line, as a shell takes them apart: quotes and backslashes, nothing else. None if a quote does not end. */
export function wordsIn(line: string): string[] | undefined {
  const words: string[] = []
  let word: string | undefined
  let quote = ''
  for (let at = 0; at < line.length; at += 1) {
    const sign = line[at] ?? ''
    if (sign === '\\' && quote !== "'" && at + 1 < line.length) {
      at += 1
      word = (word ?? '') + (line[at] ?? '')
    } else if (quote !== '' && sign === quote) quote = ''
    else if (quote === '' && (sign === '"' || sign === "'")) {
      quote = sign
      word ??= ''
    } else if (quote === '' && /\s/.test(sign)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else word = (word ?? '') + sign
  }
  if (quote !== '') return undefined
  return word === undefined ? words : [...words, word]
}
