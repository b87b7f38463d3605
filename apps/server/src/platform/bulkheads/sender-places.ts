import type { PlaceLimits } from '#platform/bulkheads/fair-places.ts'

/** Of one worker process, towards receivers of webhooks. */
export const senderPlaces: PlaceLimits = {
  all: { places: 64, kept_free: 16 },
  slow: { places: 24, kept_free: 8 },
  receiver: { places: 16, kept_free: 4 },
}
