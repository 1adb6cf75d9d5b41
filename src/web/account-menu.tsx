import type { PageProps } from './dashboard.ts'
import { Icon } from './parts/icons.tsx'
import { Link } from './parts/link.tsx'
import { signInAt } from './session.ts'

/** Who is signed in, the way to sign in, or that it could not be asked. */
export function AccountMenu({ dashboard }: PageProps) {
  const { address, session } = dashboard
  const me = session.me.value
  if (me.state === 'waiting') return <span class="head__who" aria-hidden="true" />
  if (me.state === 'failed')
    return (
      <button
        key="again"
        type="button"
        class="button button--small"
        title={`Who you are could not be asked. ${me.fault.message}`}
        onClick={() => void session.refresh()}
      >
        <Icon name="refresh" />
        Try again<span class="unseen"> to ask who you are: it could not be asked</span>
      </button>
    )
  // The address is read so that the link leads back to where one is now.
  if (me.value === null && address.at.value)
    return (
      <a class="button button--small" href={signInAt(window.location)}>
        Sign in
      </a>
    )
  if (me.value === null) return null
  return (
    <Link
      class="head__who"
      to="/account"
      label={`Account: ${me.value.name}`}
      dashboard={dashboard}
      isHere={address.at.value.page?.startsWith('/account') ?? false}
    >
      <Icon name="person" />
      <span>{me.value.name}</span>
    </Link>
  )
}
