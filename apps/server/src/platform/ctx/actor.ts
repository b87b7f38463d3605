/** Who acts. */
export type Actor =
  | { readonly kind: 'nobody' }
  | { readonly kind: 'system'; readonly name: string }
  /** An operator with the key of the installation; nobody in particular. */
  | { readonly kind: 'admin_key' }
  | PersonActor

export interface PersonActor {
  readonly kind: 'person'
  readonly person_id: number
  readonly name: string
  readonly is_staff: boolean
  /** Whether the person has proven their address. What is shared with an address waits until then. */
  readonly is_verified: boolean
  readonly credential: 'token' | 'session'
  readonly credential_id: string
  readonly expires_at: string
  /** The workspace the credential acts for. */
  readonly brand_id: number | null
  /** What the person is in it; null without one. */
  readonly role: 'admin' | 'member' | null
  /** What the token may do here and now; null for a session, which has no scopes. */
  readonly scopes: readonly string[] | null
  /** The agent that the token speaks for; null when the person acts. */
  readonly agent: string | null
}
