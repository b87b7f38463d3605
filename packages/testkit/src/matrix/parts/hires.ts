import { identified, type MatrixPart } from '../part.ts'

export const hiresPart: MatrixPart = {
  resources: {
    // The reviewer, which every installation has.
    employee: { own: 'db36c3fb-73e4-4434-b95c-e2dc0c9d4593', missing: identified.missing, refused: 404 },
  },
  tenant_rows: '',
}
