import { useNavigate, useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { toSignIn } from '../app/paths.ts'

/** Leads to the sign-in and back again. Once: the address changes while the page of the sign-in is still on its way. */
export function ToSignIn() {
  const navigate = useNavigate()
  const router = useRouter()
  useEffect(() => {
    const { href, pathname } = router.latestLocation
    if (pathname !== toSignIn().to) void navigate({ ...toSignIn(href), replace: true })
  }, [navigate, router])
  return null
}
