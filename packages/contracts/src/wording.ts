import type { z } from 'zod'

/** Names of types in messages. */
const kinds: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false (a boolean)',
  array: 'a list',
  tuple: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
  undefined: 'left out',
  never: 'left out',
}

const units: Readonly<Record<string, string>> = { string: ' characters long', array: ' items long' }

/** Messages for invalid values where the contract has none of its own. The library's messages are never shown. */
export const ownWords: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${kinds[issue.expected] ?? 'of another type'}`
    case 'invalid_value':
      return issue.values.length === 1
        ? `must be ${String(issue.values[0])}`
        : `must be one of: ${issue.values.map(String).join(', ')}`
    case 'too_big':
      return `must be at most ${issue.maximum}${units[issue.origin] ?? ''}`
    case 'too_small':
      return `must be at least ${issue.minimum}${units[issue.origin] ?? ''}`
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`
    case 'invalid_format':
      return issue.format === 'regex'
        ? 'has the wrong form'
        : `has the wrong form for ${formats[issue.format] ?? issue.format}`
    case 'invalid_union':
      return wordsOfSides(issue.errors)
    case 'unrecognized_keys':
      return 'has an unknown field'
    case 'invalid_key':
      return 'has a field whose name is not valid'
    default:
      return 'is not valid'
  }
}

const formats: Readonly<Record<string, string>> = {
  email: 'a mail address',
  url: 'a URL',
  uuid: 'a UUID',
  date: 'a date',
  datetime: 'a timestamp',
}

/** What each side of a union accepts, without repetition. */
function wordsOfSides(sides: readonly (readonly { readonly message: string }[])[]): string {
  const wanted = sides.map(([first]) => first?.message ?? '')
  const known = [...new Set(wanted)].filter((words) => words.startsWith('must be '))
  if (known.length === 0 || known.length < new Set(wanted).size) return 'is not valid'
  return `must be ${known.map((words) => words.slice('must be '.length)).join(', or ')}`
}
