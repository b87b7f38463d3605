/**
 * What a transaction returns when its last statements are on their way: the commit travels with them instead of
 * after their answer, so that locks are held for one round trip less. What is made of the answer must not refuse,
 * because by then it is done.
 */
export class Last<T> {
  readonly sent: Promise<T>
  constructor(sent: Promise<T>) {
    this.sent = sent
  }
}
