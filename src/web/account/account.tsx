import type { PageProps } from '../dashboard.ts'
import { Icon } from '../components/icons.tsx'
import { Link } from '../components/link.tsx'
import { PageHeader } from '../components/page-header.tsx'
import { Skeleton } from '../components/skeleton.tsx'
import { signInUrl, type CurrentUser } from '../session.ts'
import { PeopleTab } from './people.tsx'
import { TokensTab } from './tokens.tsx'
import { UsageTab } from './usage.tsx'
import { ProfileTab } from './profile.tsx'

const tabs = {
  profile: { path: '/account', label: 'You', Tab: ProfileTab },
  tokens: { path: '/account/tokens', label: 'Tokens', Tab: TokensTab },
  usage: { path: '/account/usage', label: 'Usage', Tab: UsageTab },
  people: { path: '/account/people', label: 'People', Tab: PeopleTab },
} as const

/** What is yours on this server: where you are signed in, your tokens, what you have used; for who administers it, the people. */
export function AccountPage({ dashboard }: PageProps) {
  const { router, session } = dashboard
  const { page, parts: pathParts } = router.location.value
  const user = session.user.value
  if (user.status === 'loading')
    return (
      <>
        <PageHeader title="Account" />
        <Skeleton lines={6} />
      </>
    )
  if (user.status === 'failed')
    return <UserUnavailable reason={user.error.message} retry={() => void session.refresh()} />
  if (user.value === null) return <SignedOut />
  const { name, isSession } = user.value
  const visibleTabs = tabsFor(user.value)
  const { Tab } =
    visibleTabs.find(({ path }) => path === (page === '/account' ? page : `/account/${pathParts.part}`)) ?? tabs.profile
  return (
    <>
      <PageHeader title="Account">
        You are <strong>{name}</strong>
        {isSession ? '.' : ': on this server nobody has to sign in.'}
      </PageHeader>
      <nav class="tabs" aria-label="Parts of the account">
        {visibleTabs.map(({ path, label, Tab: OtherTab }) => (
          <Link key={path} to={path} dashboard={dashboard} isCurrent={OtherTab === Tab}>
            {label}
          </Link>
        ))}
      </nav>
      <Tab dashboard={dashboard} user={user.value} />
    </>
  )
}

function tabsFor({ scopes }: CurrentUser) {
  const { profile, tokens, usage, people } = tabs
  return scopes.includes('admin') ? [profile, tokens, usage, people] : [profile, tokens, usage]
}

function UserUnavailable({ reason, retry }: { reason: string; retry: () => void }) {
  return (
    <>
      <PageHeader title="Account" />
      <div class="notice notice--bad" role="alert">
        <p>
          <Icon name="warning" /> Who you are could not be asked; try again. {reason}
        </p>
        <p>
          <button type="button" class="button" onClick={retry}>
            <Icon name="refresh" />
            Try again
          </button>
        </p>
      </div>
    </>
  )
}

function SignedOut() {
  return (
    <section class="empty">
      <h1>You are not signed in</h1>
      <p>Here you make tokens for programs, see what you have used, and where you are signed in.</p>
      <p>
        <a class="button button--main" href={signInUrl(window.location)}>
          Sign in
        </a>
      </p>
    </section>
  )
}
