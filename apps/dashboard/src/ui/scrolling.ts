/** How the page scrolls by itself; who asked for less motion is taken there at once. */
export const scrolling = (): ScrollBehavior =>
  matchMedia('(prefers-reduced-motion: reduce)').matches ? 'instant' : 'smooth'
