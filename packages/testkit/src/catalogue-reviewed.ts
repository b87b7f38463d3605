/** Exceptions from the rules of the catalogue. Each was looked at, and says why it cannot leak. */
type Reviewed = Readonly<Record<string, string>>

/** Tables that hold nothing of one workspace. A table without `brand_id` that is not here is a fault. */
export const globalTables: Reviewed = {
  'identity.plans': 'price list of the installation, the same for everybody',
  'identity.people': 'a person may belong to several workspaces',
  'identity.passwords': 'belongs to a person',
  'identity.password_resets': 'belongs to a person',
  'identity.sessions': 'belongs to a person; `brand_id` is the workspace it acts for now, or none',
  'identity.attempt_limits': 'counts tries by address and e-mail, before anybody is known',
  'jobs.effects': 'keys of finished jobs of the platform',
  'jobs.schedules': 'clock of the platform',
  'platform.migrations': 'history of the schema',
}

/** Schemas that a library owns and migrates. */
export const librarySchemas: Reviewed = {
  pgboss: 'the job queue; its rows are searched for marks by the canary',
}

export const uniqueIndexes: Reviewed = {
  'identity.tokens.tokens_token_hash_key':
    'the look-up of a token knows no workspace yet; a digest of 178 random bits clashes with nothing',
}

export const foreignKeys: Reviewed = {
  'identity.brands.brands_plan_fkey': 'plans are global',
  'identity.memberships.memberships_person_fkey': 'people stand outside all workspaces',
  'identity.sessions.sessions_brand_fkey': 'written only after the membership was read',
}

export const definerFunctions: Reviewed = {}
