export {
  assignDesk,
  findHiredDesk,
  orderHiredDesk,
  renewDesk,
  unassignDesk,
} from './hired/hired-desks.service.ts'
