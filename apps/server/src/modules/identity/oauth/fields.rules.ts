export type Fields = Readonly<Record<string, string>>

const maxFields = 40
const maxLength = 2000

/**
 * The parameters of a request. RFC 6749, 3.1: one that is there twice is an error, one without a value is not there. Returns
 * what is wrong.
 */
export function readFields(params: URLSearchParams): Fields | string {
  if (params.size > maxFields) return 'Too many parameters'
  const fields: Record<string, string> = Object.create(null) as Record<string, string>
  for (const [name, value] of params) {
    if (name in fields) return 'A parameter is there twice'
    if (value.length > maxLength) return 'A parameter is too long'
    if (value.includes('\0') || !value.isWellFormed()) return 'A parameter is not text'
    if (value !== '') fields[name] = value
  }
  return fields
}
