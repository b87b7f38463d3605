/** `$3.12`; what is less than a cent is not shown as nothing. */
export function moneyOf(micros: number): string {
  if (micros > 0 && micros < 10_000) return '<$0.01'
  return new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' }).format(micros / 1_000_000)
}

/** `1.84 M`, `210 k`. */
export function tokensOf(count: number): string {
  if (count >= 1_000_000) return `${(count / 1_000_000).toFixed(2)} M`
  return count >= 1000 ? `${Math.round(count / 1000)} k` : String(count)
}

/** `2.4 MB`. */
export function bytesOf(count: number): string {
  if (count >= 1_000_000) return `${(count / 1_000_000).toFixed(1)} MB`
  return count >= 1000 ? `${Math.round(count / 1000)} kB` : `${count} B`
}

/** `10:48` left, or `1h 04m`. */
export function leftOf(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  if (seconds >= 3600)
    return `${Math.floor(seconds / 3600)}h ${String(Math.floor((seconds % 3600) / 60)).padStart(2, '0')}m`
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

export const cardsOf = (count: number): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? 'card' : 'cards'}`
