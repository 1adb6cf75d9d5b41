import type { PageProps } from './dashboard.ts'
import { Icon } from './components/icons.tsx'
import { Link } from './components/link.tsx'
import { signInUrl } from './session.ts'

/** Who is signed in, the way to sign in, or that it could not be asked. */
export function AccountMenu({ dashboard }: PageProps) {
  const { router, session } = dashboard
  const user = session.user.value
  if (user.status === 'loading') return <span class="head__who" aria-hidden="true" />
  if (user.status === 'failed')
    return (
      <button
        key="again"
        type="button"
        class="button button--small"
        title={`Who you are could not be asked. ${user.error.message}`}
        onClick={() => void session.refresh()}
      >
        <Icon name="refresh" />
        Try again<span class="unseen"> to ask who you are: it could not be asked</span>
      </button>
    )
  // The address is read so that the link leads back to where one is now.
  if (user.value === null && router.location.value)
    return (
      <a class="button button--small" href={signInUrl(window.location)}>
        Sign in
      </a>
    )
  if (user.value === null) return null
  return (
    <Link
      class="head__who"
      to="/account"
      label={`Account: ${user.value.name}`}
      dashboard={dashboard}
      isCurrent={router.location.value.page?.startsWith('/account') ?? false}
    >
      <Icon name="person" />
      <span>{user.value.name}</span>
    </Link>
  )
}
