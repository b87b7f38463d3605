import { useQuery } from '@tanstack/react-query'
import { membersApi } from '../../app/members-api.ts'
import { useBrand } from '../../app/session.ts'

/** Who could show it, or change what one may see. */
export function Admins() {
  const { brand_id, name } = useBrand()
  const { data: admins = [] } = useQuery({
    queryKey: ['members', brand_id, 'admins'],
    queryFn: async ({ signal }) => {
      const query = { per_page: '100' }
      const { body } = await membersApi
        .reading(signal)
        .workspaces.listMembers({ params: { brand_id }, query })
      return body.members.filter(({ role }) => role === 'admin').map(({ name: full }) => full)
    },
  })
  if (admins.length === 0) return 'Ask an admin of the workspace.'
  return admins.length === 1
    ? `${admins[0]} is the admin of ${name}.`
    : `${new Intl.ListFormat('en-GB').format(admins)} are the admins of ${name}.`
}
