import { refusalOf } from '@crewhall/contracts/refusal.ts'

/** The words of RFC 6749, 7591 and 8707 for what is wrong. */
export type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'invalid_target'
  | 'unsupported_grant_type'
  | 'invalid_client_metadata'
  | 'invalid_redirect_uri'

const failing = (code: OAuthErrorCode, status = 400) =>
  refusalOf(status, `${code}: …`, (error_description: string) => ({ error: code, error_description }))

export const invalidRequest = failing('invalid_request')
export const invalidGrant = failing('invalid_grant')
export const invalidScope = failing('invalid_scope')
export const invalidTarget = failing('invalid_target')
export const unsupportedGrantType = failing('unsupported_grant_type')
export const invalidClientMetadata = failing('invalid_client_metadata')
export const invalidRedirectUri = failing('invalid_redirect_uri')
