/**
 * Says that no transaction is open here. Mail, outbound calls and storage ask for it, and a context inside
 * a transaction does not carry it: nothing that waits for somebody else can be called while rows are locked.
 */
export interface Outside {
  readonly is_outside: true
}
