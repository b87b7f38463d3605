import { deletingAll } from './erase-conversations.store.ts'

export const conversationRowsOfBrand = deletingAll
