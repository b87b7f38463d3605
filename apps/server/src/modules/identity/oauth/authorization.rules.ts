import { scopes as knownScopes, type Scope } from '@crewhall/contracts/scopes.ts'
import type { Fields } from './fields.rules.ts'
import { deriveResource, type Resource } from './resources.rules.ts'

/** What a program asks a person for. */
export interface Authorization {
  readonly challenge: string
  /** Undefined if it leaves that to us. */
  readonly scopes: readonly Scope[] | undefined
  readonly resource: Resource
}

/** What the program is told when it is called back. */
export interface AuthorizationError {
  readonly error: string
  readonly error_description: string
}

/** The form of a SHA-256 in base64url. */
const challengeForm = /^[A-Za-z0-9_-]{43}$/

/** RFC 7636, 4.1. */
export const isVerifier = (text: string): boolean => /^[A-Za-z0-9\-._~]{43,128}$/.test(text)

const failed = (error: string, error_description: string): AuthorizationError => ({
  error,
  error_description,
})

/** PKCE is required, and only with S256: programs without a secret have nothing else to show. */
export function readAuthorization(fields: Fields, origin: string): Authorization | AuthorizationError {
  if (fields.response_type !== 'code')
    return failed('unsupported_response_type', 'Only response_type=code is supported')
  if (fields.code_challenge_method !== 'S256' || !challengeForm.test(fields.code_challenge ?? ''))
    return failed('invalid_request', 'A code_challenge with code_challenge_method=S256 is required')
  const scopes = readScopes(fields.scope)
  if (scopes === null) return failed('invalid_scope', `Scopes are ${knownScopes.join(', ')}`)
  const resource = deriveResource(origin, fields.resource)
  if (!resource) return failed('invalid_target', 'The resource is not one of this service')
  return { challenge: fields.code_challenge ?? '', scopes, resource }
}

/** Null if one of them is unknown. */
export function readScopes(text: string | undefined): readonly Scope[] | undefined | null {
  if (text === undefined) return undefined
  const named = new Set(text.split(' ').filter((word) => word !== ''))
  const known = knownScopes.filter((scope) => named.has(scope))
  return known.length === named.size ? known : null
}
