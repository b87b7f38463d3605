import { useEffect, useState } from 'react'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** `48m`, `1h 04m`, `3d`: how long something goes on. */
export function shortSpan(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / minuteMs))
  if (minutes < 60) return `${minutes}m`
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)}h ${String(minutes % 60).padStart(2, '0')}m`
  return `${Math.floor(minutes / (24 * 60))}d`
}

/** `22 min ago` within a day, then `12 Nov`. */
export function whenTold(at: string, now: number): string {
  const ms = now - Date.parse(at)
  if (ms < minuteMs) return 'just now'
  if (ms < hourMs) return `${Math.floor(ms / minuteMs)} min ago`
  if (ms < 24 * hourMs) return `${Math.floor(ms / hourMs)} h ago`
  return dayTold(at, now)
}

/** `12 Nov`, with the year if it is another. */
export function dayTold(at: string, now: number): string {
  const day = new Date(at)
  const isThisYear = day.getFullYear() === new Date(now).getFullYear()
  return day.toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'short',
    ...(isThisYear ? {} : { year: 'numeric' }),
  })
}

/** `12:04`. */
export const clockTime = (ms: number): string =>
  new Date(ms).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })

/** The time, again and again. */
export function useNow(everyMs = 30_000): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return now
}
