export { type CardNotice, settleCard, tellOfCards } from './telling/telling.service.ts'
