/**
 * `name = value` where the name says that the value is a secret. Shape alone decides nothing here: most such lines in
 * conversations about software name a variable, a placeholder or a type.
 */
const assignment =
  /(?<key>pass(?:word|wd|phrase|code)|pwd|secret|token|credential|(?:api|access|private|auth|account|signing|encryption|master|session)[ _-]?key)(?<rest>[\w-]{0,30}(?: key| token)?)(?<between>["'`\]]{0,2}[ \t]{0,4}(?:=>|:=|={1,2}|:)[ \t]{0,4}|[ \t]{1,4}is(?:[ \t]{0,4}:)?[ \t]{1,4})(?<quote>["'`]?)(?<value>[^\s"'`,;<>(){}[\]]{6,300})/gi

/** Names that hold something about a secret (how many, how long, where), and words that only begin like one. */
const aboutSecrets =
  /^(?:s?[_-]?(?:counts?|limit|length|len|size|type|name|ids?|url|uri|path|file|dir|field|label|ttl|expir\w*|age|budget|usage|used|per|policy|rule|hint|prompt|reset|column|index|version|format|prefix|pattern|regex|env|var|ref|arn|hash|digest|status|scope|left|total|max|min)|i[sz]|ary|less|ly)/i

/** A reference to where the value is kept. */
const reference =
  /^(?:process|import|os|env|secrets?|vars?|config|settings|this|self|props|req|request|options?|args?|data|user|ctx)\.|^env[:[]|^[$@*]|^%\w+%$/i
/** A word that stands where the value would stand. */
const placeholder =
  /^(?:await|new|string|number|boolean|null|undefined|none|true|false|required|optional|unset|empty|missing|invalid|incorrect|wrong|secret|password|token)[.!?:]*$|^[.x*•_-]+$|your[_-]|[_-]here$|change[_-]?me|example|placeholder|dummy|redacted|xxxx|\.\.\./i

export function redactAssignments(text: string, redact: (kind: string) => string): string {
  return text.replaceAll(assignment, (whole: string, ...found: unknown[]) => {
    const {
      key = '',
      rest = '',
      between = '',
      quote = '',
      value = '',
    } = found.at(-1) as Record<string, string>
    const isPassword = /^p/i.test(key) && !/^private/i.test(key)
    if (aboutSecrets.test(rest) || reference.test(value) || placeholder.test(value)) return whole
    if (!(isPassword ? isPasswordLike(value, quote, between) : isRandomLike(value))) return whole
    return `${key}${rest}${between}${quote}${redact(isPassword ? 'password' : 'secret')}`
  })
}

/** People choose passwords: a word with a digit or a sign, or anything that stands in quotes. */
function isPasswordLike(value: string, quote: string, between: string): boolean {
  const bare = value.replace(/[.!?:]+$/, '')
  const hasDigit = /\d/.test(bare)
  const hasLetter = /\p{Letter}/u.test(bare)
  const hasSign = /[^\p{Letter}\d_.-]/u.test(bare)
  // A call or a member access is code; a whole path is where the password is kept.
  if (/^[\w$]+(?:\.[\w$]+)+$/.test(bare) || /^[~.]?\//.test(bare)) return false
  const isSentence = /is/i.test(between)
  if (isSentence && quote === '')
    return hasDigit && hasLetter && (hasSign || /\p{Lu}/u.test(bare)) && !bare.includes('-')
  return (hasDigit && hasLetter) || (hasSign && hasLetter) || (hasDigit && bare.length >= 8) || quote !== ''
}

/** Machines choose tokens: long, of mixed characters, hardly any of them twice in a row. */
function isRandomLike(value: string): boolean {
  const bare = value.replace(/[.!?:]+$/, '')
  if (bare.length < 16 || !/\d/.test(bare) || !/[A-Za-z]/.test(bare)) return false
  if (/^[\w$]+(?:\.[\w$]+)+$/.test(bare) && !/\d{2}/.test(bare)) return false
  if (/^(?:[~.]?\/|https?:)/.test(bare)) return false
  return entropyOf(bare) >= 3
}

/** Bits per character. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>()
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length)
  return bits
}
