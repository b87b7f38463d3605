/**
 * Proof that no transaction is open. Mail, outbound calls, storage and models require it, and a context inside a transaction
 * does not have it: nothing that waits for others can be called while rows are locked.
 */
export interface Outside {
  readonly is_outside: true
}
