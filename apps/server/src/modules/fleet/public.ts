export {
  assignDesk,
  findHiredDesk,
  type HiredDeskFacts,
  orderHiredDesk,
  renewDesk,
  unassignDesk,
} from './hired/hired-desks.service.ts'
