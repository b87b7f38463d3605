/** What `auth status` tells; here, so that listing it loads nothing else. */
export const statusFields = [
  'host',
  'profile',
  'credential',
  'person',
  'email',
  'workspace',
  'workspace_id',
  'role',
  'scopes',
  'agent',
  'expires_at',
  'board',
] as const
