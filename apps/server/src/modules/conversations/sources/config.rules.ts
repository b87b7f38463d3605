import { mask } from '@crewhall/contracts/conversations/sources.ts'

type Json = unknown
type Fields = Readonly<Record<string, Json>>

const secretName =
  /(token|secret|passw|pwd|passphrase|api.?key|private|credential|cookie|auth|bearer|signature|^key$|_key$)/i
/** Addresses with a password, and long runs of characters that no word has. */
const secretValue = /:\/\/[^/\s:@]*:[^/\s@]+@|^(?=.*\d)(?=.*[A-Za-z])[A-Za-z0-9+/_=.~-]{24,}$/

const isFields = (value: Json): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** CONV-G6: what others may see of the settings. Rather too much is masked than too little. */
export function maskedConfig(config: Fields, looksSecret: (text: string) => boolean = () => false): Fields {
  const masked = (value: Json, isSecret: boolean): Json => {
    if (Array.isArray(value)) return value.map((each) => masked(each, isSecret))
    if (isFields(value)) return fieldsOf(value, isSecret)
    if (value === null || typeof value === 'boolean') return value
    if (isSecret) return mask
    return typeof value === 'string' && (secretValue.test(value) || looksSecret(value)) ? mask : value
  }
  const fieldsOf = (fields: Fields, isSecret: boolean): Fields =>
    Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [name, masked(value, isSecret || secretName.test(name))]),
    )
  return fieldsOf(config, false)
}

/**
 * What a change means: who reads a source, changes a setting and sends all back keeps the secrets that they never saw.
 * Undefined where a mask stands for nothing.
 */
export function unmaskedConfig(sent: Fields, stored: Fields): Fields | undefined {
  let isKnown = true
  const unmasked = (value: Json, before: Json): Json => {
    if (value === mask) {
      if (before === undefined || typeof before === 'object') isKnown = false
      return before
    }
    if (Array.isArray(value))
      return value.map((each, at) => unmasked(each, Array.isArray(before) ? before[at] : undefined))
    if (isFields(value)) return fieldsOf(value, isFields(before) ? before : {})
    return value
  }
  const fieldsOf = (fields: Fields, before: Fields): Fields =>
    Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [
        name,
        unmasked(value, Object.hasOwn(before, name) ? before[name] : undefined),
      ]),
    )
  const config = fieldsOf(sent, stored)
  return isKnown ? config : undefined
}

const longestDirectory = 500
const part = /^(?!\.{1,2}$)[^/\\\0]{1,255}$/

/** Whether it stays below the directory that it is put behind. */
export const isDirectory = (path: Json): path is string =>
  typeof path === 'string' &&
  path.length <= longestDirectory &&
  path.split('/').every((each) => part.test(each))
