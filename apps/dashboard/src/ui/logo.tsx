/** A roof over a person and an agent. */
export function Logo({ size = 20 }: { readonly size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 24 24" aria-hidden="true" className="shrink-0">
      <path
        d="M2.5 11 12 4l9.5 7"
        fill="none"
        stroke="currentColor"
        strokeWidth="2.4"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
      <circle cx="8.2" cy="16.6" r="3.4" fill="currentColor" />
      <rect x="12.8" y="13.2" width="6.8" height="6.8" rx="2" fill="currentColor" />
    </svg>
  )
}
