import { refusal } from './refusal.ts'

// What all uploads of pictures share.

/** MBR-G6: five mebibytes, inclusive. */
const maxBytes = 5_242_880

export const fileTooLarge = refusal(400, 'File too large (max 5MB)')
export const fileMissing = refusal(422, 'file: is required')
/** Texts of outages: the same call may succeed later. */
export const imageStorageAway = refusal(502, 'Image storage is unavailable')
export const imageStorageAbsent = refusal(503, 'Image storage not configured')

export const pictureUpload = {
  field: 'file',
  max_bytes: maxBytes,
  too_large: fileTooLarge,
  missing: fileMissing,
} as const
