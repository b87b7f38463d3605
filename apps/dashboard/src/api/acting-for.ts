let brand_id: number | null = null

/** What this tab shows from now on. */
export function actFor(next: number | null): void {
  brand_id = next
}

/**
 * Says what workspace the tab shows. Another tab can switch the session at any moment: the server refuses what is meant for
 * the workspace before, so that nothing is read from or written to one that the person does not see.
 */
export const brandHeader = (): Readonly<Record<string, string>> =>
  brand_id === null ? {} : { 'x-expected-brand': String(brand_id) }
