import type { Page } from 'playwright-core'

/** The name of what has the focus, as far as the page says it itself. */
const nameOfFocus = `(() => {
  const at = document.activeElement
  const label = at.labels?.[0]?.textContent
  return (at.getAttribute('aria-label') ?? label ?? at.textContent ?? '').trim()
})()`

// Colours change over a moment: what counts is how they end.
const faultOfFocus = `(() => {
    const at = document.activeElement
    if (!at || at === document.body) return 'nothing has the focus'
    for (const each of document.getAnimations()) if (each instanceof CSSTransition) each.finish()
    const what = at.outerHTML.slice(0, 160)
    const box = at.getBoundingClientRect()
    const isSeen = box.width > 1 && box.height > 1 && box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth
    if (!isSeen) return 'out of sight: ' + what
    const probe = document.body.appendChild(document.createElement('i'))
    probe.style.color = 'var(--ch-focus)'
    const colour = getComputedStyle(probe).color
    probe.remove()
    const isMarked = (element, part) => {
      const style = getComputedStyle(element, part)
      const hasRing = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2 && style.outlineColor === colour
      return hasRing || style.borderTopColor === colour
    }
    // A field that stands in a frame with other things has its mark on the frame.
    const frame = at.matches('input, textarea') ? [at.parentElement, at.closest('form')] : []
    const inMenu = at.closest('[data-highlighted]')
    if (inMenu && getComputedStyle(inMenu).backgroundColor !== 'rgba(0, 0, 0, 0)') return null
    // The link of a row has its mark around the row.
    const isRow = isMarked(at, '::after')
    return isRow || [at, ...frame].some((each) => each && isMarked(each)) ? null : 'not marked: ' + what
  })()`

/** What is wrong with how the focus is shown, if anything: there is none, it is out of sight, or nothing marks it. */
export const focusFault = (page: Page): Promise<string | null> => page.evaluate<string | null>(faultOfFocus)

/** Presses Tab until what has this name has the focus, and returns what was wrong at any stop. */
export async function tabTo(page: Page, name: string, most = 60): Promise<string[]> {
  const faults: string[] = []
  for (let stop = 0; stop < most; stop += 1) {
    await page.keyboard.press('Tab')
    const [fault, reached] = await page.evaluate<[string | null, string]>(`[${faultOfFocus}, ${nameOfFocus}]`)
    if (fault !== null) faults.push(fault)
    if (reached.startsWith(name)) return faults
  }
  return [...faults, `${name} is not reached`]
}

/** Presses Tab through the whole page, until the focus is where it was first. */
export async function walk(page: Page): Promise<{ stops: number; faults: string[] }> {
  const faults: string[] = []
  await page.evaluate(`window.walked = new Set()`)
  for (let stop = 0; stop < 150; stop += 1) {
    await page.keyboard.press('Tab')
    const state = await page.evaluate<'out' | 'again' | { fault: string | null }>(`(() => {
      const at = document.activeElement
      if (at === document.body) return 'out'
      if (window.walked.has(at)) return 'again'
      window.walked.add(at)
      return { fault: ${faultOfFocus} }
    })()`)
    // From the last one the focus goes to the browser and comes back to the first.
    if (state === 'out') continue
    if (state === 'again') return { stops: stop, faults }
    if (state.fault !== null) faults.push(state.fault)
  }
  return { stops: 150, faults: [...faults, 'the focus does not come round'] }
}
