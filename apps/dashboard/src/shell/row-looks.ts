/** A row of the sidebar, and the one of the page that is shown. */
export const rowClass =
  'flex h-7 items-center gap-2.5 rounded-control border border-transparent px-2 text-ink-2 hover:bg-hover'
export const activeClass = 'border-line! bg-surface! text-ink! font-medium shadow-card'
