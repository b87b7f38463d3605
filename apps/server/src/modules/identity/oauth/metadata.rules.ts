import { oauthPaths, usualScopes } from '@crewhall/contracts/identity/oauth.ts'
import type { Resource } from './resources.rules.ts'

/** RFC 9728. */
export const describeResource = (origin: string, name: string, { path }: Resource) => ({
  resource: `${origin}${path}`,
  authorization_servers: [origin],
  scopes_supported: usualScopes,
  bearer_methods_supported: ['header'],
  resource_name: name,
})

/** RFC 8414. */
export const describeServer = (origin: string) => ({
  issuer: origin,
  authorization_endpoint: `${origin}${oauthPaths.authorize}`,
  token_endpoint: `${origin}${oauthPaths.token}`,
  registration_endpoint: `${origin}${oauthPaths.register}`,
  revocation_endpoint: `${origin}${oauthPaths.revoke}`,
  scopes_supported: usualScopes,
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  token_endpoint_auth_methods_supported: ['none'],
  revocation_endpoint_auth_methods_supported: ['none'],
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
})
