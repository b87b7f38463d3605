import { z } from 'zod'

// The forms that settings have.

export const flag = (fallback: boolean) =>
  z
    .enum(['true', 'false'])
    .default(fallback ? 'true' : 'false')
    .transform((value) => value === 'true')
export const whole = (fallback: number, min = 0) =>
  z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    .default(String(fallback))
    .transform(Number)
    .refine((n) => n >= min, `must be at least ${min}`)
export const listOr = (fallback: string) =>
  z
    .string()
    .default(fallback)
    .transform((text) =>
      text
        .split(',')
        .map((item) => item.trim())
        .filter(Boolean),
    )
export const list = listOr('')
export const url = (...schemes: string[]) =>
  z
    .string()
    .refine(
      (text) => URL.canParse(text) && schemes.includes(new URL(text).protocol.slice(0, -1)),
      `must be a URL (${schemes.join(', ')})`,
    )
