export {
  assignDesk,
  findHiredDesk,
  type HiredDeskFacts,
  holdHiredDesk,
  orderHiredDesk,
  renewDesk,
  unassignDesk,
} from './hired/hired-desks.service.ts'
