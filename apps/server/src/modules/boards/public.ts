export { areBoards } from './boards/known-boards.service.ts'
