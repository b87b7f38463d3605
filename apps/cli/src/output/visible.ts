// What changes how a terminal shows other text, or shows nothing itself: control characters, marks of direction, invisible
// characters and tags. Text of strangers must not reach a terminal with them.
const signs =
  '\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff9-\\uffff\\u{e0000}-\\u{e0fff}'
const anywhere = new RegExp(
  `[${signs}]|[\\ud800-\\udbff](?![\\udc00-\\udfff])|(?<![\\ud800-\\udbff])[\\udc00-\\udfff]`,
  'gu',
)
const beyondJson = new RegExp(`[${signs.replace('\\u0000-\\u001f', '')}]`, 'gu')

const short: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\u001b': '\\e' }

const escaped = (sign: string): string =>
  short[sign] ?? `\\u{${(sign.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}}`

/** On one line, with every sign that could mislead written out. */
export const visibleLine = (text: string): string => text.replace(anywhere, escaped)

/** The same for a text of several lines. */
export const visibleText = (text: string): string =>
  text
    .replaceAll('\r\n', '\n')
    .replace(anywhere, (sign) => (sign === '\n' || sign === '\t' ? sign : escaped(sign)))

/** JSON escapes only some of them by itself; the result means the same. */
export const visibleJson = (json: string): string =>
  json.replace(beyondJson, (sign) =>
    Array.from(
      { length: sign.length },
      (_, at) => `\\u${sign.charCodeAt(at).toString(16).padStart(4, '0')}`,
    ).join(''),
  )
