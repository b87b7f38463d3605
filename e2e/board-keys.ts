import type { Page } from 'playwright-core'

/**
 * Carries the card that has the focus to the next column. A card that is not lifted yet hears an arrow as a step to another
 * card, so each key waits for what the page says about the one before.
 */
export async function carryRight(page: Page, ref: string): Promise<void> {
  const said = (text: string) =>
    page.locator('[data-live-region]').filter({ hasText: text }).waitFor({ state: 'attached' })
  await page.keyboard.press(' ')
  await said(`${ref} lifted`)
  await page.keyboard.press('ArrowRight')
  await said(`${ref}: `)
  await page.keyboard.press(' ')
}
