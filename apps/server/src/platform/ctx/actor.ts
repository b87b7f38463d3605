/** Who acts. */
export type Actor =
  | { readonly kind: 'nobody' }
  | { readonly kind: 'system'; readonly name: string }
  /** An operator with the admin key; no particular person. */
  | { readonly kind: 'admin_key' }
  | PersonActor
  | DeskActor

/** A machine of a workspace. */
export interface DeskActor {
  readonly kind: 'desk'
  readonly desk_id: string
  readonly credential: 'join_secret' | 'desk_key'
  /** The digest of the secret, or of the key. */
  readonly credential_id: string
  /** The key that has signed the request: the one it has, or the one it joins with. */
  readonly public_key: string | null
  /** Whether this is the first request of its process. */
  readonly is_new_process: boolean
}

export interface PersonActor {
  readonly kind: 'person'
  readonly person_id: number
  readonly name: string
  readonly is_staff: boolean
  /** Whether the address is confirmed. Resources shared with it cannot be opened before. */
  readonly is_verified: boolean
  readonly credential: 'token' | 'session'
  readonly credential_id: string
  readonly expires_at: string
  /** The workspace the credential acts for. */
  readonly brand_id: number | null
  /** The person's role in it; null without a workspace. */
  readonly role: 'admin' | 'member' | null
  /** The effective scopes of the token; null for a session, which has none. */
  readonly scopes: readonly string[] | null
  /** The agent that the token belongs to; null if the person acts. */
  readonly agent: string | null
  /** Its id, if it is an agent of the workspace and not only a name. */
  readonly agent_id: string | null
}
