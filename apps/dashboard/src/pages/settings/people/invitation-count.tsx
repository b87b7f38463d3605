import { useInfiniteQuery } from '@tanstack/react-query'
import { useBrand } from '../../../app/session.ts'
import { invitationsQuery } from './people-data.ts'

/** How many invitations are open, in the navigation; for those who may know. */
export function InvitationCount() {
  const { brand_id, isAdmin } = useBrand()
  const { data } = useInfiniteQuery({ ...invitationsQuery(brand_id), enabled: isAdmin })
  return data?.pages[0]?.total || null
}
