import { redactSecrets } from './redact-secrets.ts'

/**
 * For lines of JSON: quoting hides shapes, so texts are looked at as they were, and then the whole, where a name says what
 * the value beside it is.
 */
export const redactLog = (text: string): string =>
  redactSecrets(text.split('\n').map(withPlainTexts).join('\n')).text

function withPlainTexts(line: string): string {
  if (!line.startsWith('{')) return line
  try {
    return JSON.stringify(JSON.parse(line), (_, value: unknown) =>
      typeof value === 'string' ? redactSecrets(value).text : value,
    )
  } catch {
    return line
  }
}
