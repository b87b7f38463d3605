const begin =
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-\d|Private-Lines: \d+/
const end = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|Private-MAC: [0-9a-f]+/
/** What stands before a line that was quoted, numbered or commented. */
const margin = /^(?:[\s>|#*]|\d{1,6}[→:|\t ])*/
const header =
  /^(?:Proc-Type|DEK-Info|Version|Comment|Encryption|Public-Lines|Private-Lines|Key-Derivation|Argon2-[\w-]+)\s?:/
// What follows begins with a character that the body cannot hold, so that nothing is tried twice.
const whole = /^["']?[\w+/=\\]{16,}(?:["',\s]["',+\s\\]*)?$/
/** The last line of a key is shorter, and mostly ends in padding. */
const tail = /^["']?(?=[\w+/=\\]*[\d+/=])[\w+/=\\]{1,80}[+\\]*(?:["',\s]["',+\s\\]*)?$/
/** Inside one line, as in JSON: the line breaks are written as `\n`. */
const escaped = /^(?:\\+[nr]|[\w+/=\s:,-])*/

/**
 * Private keys go over many lines, and conversations cut them: without the end, without the beginning, quoted,
 * numbered, or as one line of JSON. Nothing between the two marks stays, and nothing that looks like the body of a key
 * beside one mark alone.
 */
export function redactPrivateKeys(text: string, redact: (kind: string) => string): string {
  if (!text.includes('-----') && !/Private-Lines|PuTTY-User/.test(text)) return text
  const lines = text.split('\n')
  const out: string[] = []
  let at = 0
  while (at < lines.length) {
    const line = lines[at] ?? ''
    const opening = begin.exec(line)
    const closing = end.exec(line)
    if (opening !== null) {
      const stop = endOfKey(lines, at, opening)
      out.push(`${line.slice(0, opening.index)}${redact('private key')}${stop.rest}`)
      at = stop.at + 1
    } else if (closing !== null) {
      while (out.length > 0 && isBody(out.at(-1) ?? '')) out.pop()
      out.push(`${redact('private key')}${line.slice(closing.index + closing[0].length)}`)
      at += 1
    } else {
      out.push(line)
      at += 1
    }
  }
  return out.join('\n')
}

/** The last line of the key that begins here, and what that line has after it. */
function endOfKey(
  lines: readonly string[],
  first: number,
  opening: RegExpExecArray,
): { at: number; rest: string } {
  const after = (lines[first] ?? '').slice(opening.index + opening[0].length)
  const closing = end.exec(after)
  if (closing !== null) return { at: first, rest: after.slice(closing.index + closing[0].length) }
  const inline = after.trim() === '' ? '' : after.slice(escaped.exec(after)?.[0].length ?? 0)
  if (after.trim() !== '' && /\\n/.test(after)) return { at: first, rest: inline }
  let at = first
  for (let next = first + 1; next < lines.length; next += 1) {
    const line = lines[next] ?? ''
    const stop = end.exec(line)
    if (stop !== null) return { at: next, rest: line.slice(stop.index + stop[0].length) }
    // An empty line stands after the headers of a key, and also before the prose that follows one that was cut.
    if (!isBody(line) && line.replace(margin, '') !== '') break
    if (isBody(line)) at = next
  }
  return { at, rest: '' }
}

function isBody(line: string): boolean {
  const bare = line.replace(margin, '').trimEnd()
  return header.test(bare) || whole.test(bare) || tail.test(bare)
}
