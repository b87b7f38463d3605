/** One line that a person or an agent wrote: text, with what stands in backticks as code. Never markup. */
export function InlineText({ text }: { readonly text: string }) {
  const parts = text.split('`')
  // A backtick without its twin is a backtick.
  if (parts.length % 2 === 0) return text
  return parts.map((part, at) =>
    at % 2 === 0 ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text have no other name
      <code key={at} className="font-mono text-[0.94em]">
        {part}
      </code>
    ),
  )
}
