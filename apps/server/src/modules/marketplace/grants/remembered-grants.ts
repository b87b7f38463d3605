interface Remembered<Value> {
  readonly value: Value
  /** When the truth was read, in milliseconds. */
  readonly read_at: number
}

interface Group<Value> {
  readonly entries: Map<string, Remembered<Value>>
  /** Reads under way, which newcomers join. One that a change overtakes is taken out, and its result is not remembered. */
  readonly reads: Map<string, Promise<Remembered<Value>>>
  forget(): void
}

export interface RememberedOptions {
  readonly max_age_ms: number
  /** So many values over all groups. */
  readonly limit: number
  /** Calls back whenever something of the group has changed; returns how to stop that. */
  listen(group: string, changed: () => void): () => void
}

/** Values of groups, such as workspaces, in this process. The longest unused go first. */
export class RememberedGrants<Value> {
  readonly #options: RememberedOptions
  readonly #groups = new Map<string, Group<Value>>()
  #count = 0

  constructor(options: RememberedOptions) {
    this.#options = options
  }

  /** `read` returns the value and when its truth was read. */
  async find(group: string, id: string, now: number, read: () => Promise<Remembered<Value>>): Promise<Value> {
    const there = this.#groupOf(group)
    const entry = there.entries.get(id)
    if (entry && this.isFresh(entry.read_at, now)) return entry.value
    const waiting = there.reads.get(id) ?? this.#read(group, there, id, read)
    return (await waiting).value
  }

  /** A clock that was set back makes everything old. */
  isFresh(read_at: number, now: number): boolean {
    return now >= read_at && now - read_at < this.#options.max_age_ms
  }

  forget(group: string): void {
    const there = this.#groups.get(group)
    if (!there) return
    this.#count -= there.entries.size
    // Reads under way hold on to their group, and find themselves no longer in it.
    there.entries.clear()
    there.reads.clear()
    there.forget()
    this.#groups.delete(group)
  }

  forgetAll(): void {
    for (const group of [...this.#groups.keys()]) this.forget(group)
  }

  #read(
    group: string,
    there: Group<Value>,
    id: string,
    read: () => Promise<Remembered<Value>>,
  ): Promise<Remembered<Value>> {
    const reading = read()
    there.reads.set(id, reading)
    const isCurrent = () => there.reads.get(id) === reading
    reading.then(
      (entry) => {
        if (isCurrent()) this.#remember(there, id, entry)
      },
      () => {
        if (!isCurrent()) return
        there.reads.delete(id)
        if (there.entries.size === 0 && there.reads.size === 0) this.forget(group)
      },
    )
    return reading
  }

  #remember(there: Group<Value>, id: string, entry: Remembered<Value>): void {
    there.reads.delete(id)
    if (!there.entries.has(id)) this.#count += 1
    there.entries.set(id, entry)
    for (const [name, { reads }] of [...this.#groups]) {
      if (this.#count <= this.#options.limit) return
      // One with a read under way stays, so that the read hears of changes.
      if (reads.size === 0) this.forget(name)
    }
  }

  /** The group, as the one used last. */
  #groupOf(name: string): Group<Value> {
    const known = this.#groups.get(name)
    if (known) {
      this.#groups.delete(name)
      this.#groups.set(name, known)
      return known
    }
    const made: Group<Value> = {
      entries: new Map(),
      reads: new Map(),
      forget: this.#options.listen(name, () => this.forget(name)),
    }
    this.#groups.set(name, made)
    return made
  }
}
