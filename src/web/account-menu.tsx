import type { PageProps } from './dashboard.ts'
import { Icon } from './components/icons.tsx'
import { Link } from './components/link.tsx'
import { signInUrl } from './session.ts'

/** Shows the signed-in user, a sign-in link, or a retry button when the user could not be read. */
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
        title={`Your account could not be read. ${user.error.message}`}
        onClick={() => void session.refresh()}
      >
        <Icon name="refresh" />
        Try again<span class="unseen"> to read your account</span>
      </button>
    )
  // Reads the location so that the sign-in link always returns to the current page.
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
