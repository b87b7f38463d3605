/** What of a memory is embedded. */
export interface EmbeddedText {
  readonly title: string
  readonly description: string | null
  readonly tags: readonly string[]
  readonly body: string
}

/** Title first: a long text is cut into pieces, and what it is about belongs to the first one. */
export const embeddedText = ({ title, description, tags, body }: EmbeddedText): string =>
  [title, description, tags.join(' '), body].filter(Boolean).join('\n')
