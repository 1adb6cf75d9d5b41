import type { PageProps } from '../dashboard.ts'
import { Button } from '../components/buttons.tsx'
import { Icon } from '../components/icons.tsx'
import { PageHeader } from '../components/page-header.tsx'
import { Skeleton } from '../components/notices.tsx'
import { signInUrl, type CurrentUser } from '../session.ts'
import { LinksTab } from './links.tsx'
import { PeopleTab } from './people.tsx'
import { TokensTab } from './tokens.tsx'
import { UsageTab } from './usage.tsx'
import { ProfileTab } from './profile.tsx'

const tabs = {
  profile: { path: '/account', label: 'Profile', Tab: ProfileTab },
  tokens: { path: '/account/tokens', label: 'Tokens', Tab: TokensTab },
  usage: { path: '/account/usage', label: 'Usage', Tab: UsageTab },
  links: { path: '/account/links', label: 'Links', Tab: LinksTab },
  people: { path: '/account/people', label: 'People', Tab: PeopleTab },
} as const

/** The account page: profile, tokens, usage and links, and for administrators the people. */
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
        Signed in as <strong>{name}</strong>
        {isSession ? '.' : '. Sign-in is disabled on this server.'}
      </PageHeader>
      <nav class="tabs" aria-label="Account sections">
        {visibleTabs.map(({ path, label, Tab: OtherTab }) => (
          <a key={path} href={path} aria-current={OtherTab === Tab ? 'page' : undefined}>
            {label}
          </a>
        ))}
      </nav>
      <Tab dashboard={dashboard} user={user.value} />
    </>
  )
}

function tabsFor({ scopes }: CurrentUser) {
  const { people, ...forEveryone } = tabs
  return [...Object.values(forEveryone), ...(scopes.includes('admin') ? [people] : [])]
}

function UserUnavailable({ reason, retry }: { reason: string; retry: () => void }) {
  return (
    <>
      <PageHeader title="Account" />
      <div class="notice notice--bad" role="alert">
        <p>
          <Icon name="warning" /> Your account could not be read. Try again. {reason}
        </p>
        <p>
          <Button icon="refresh" onClick={retry}>
            Try again
          </Button>
        </p>
      </div>
    </>
  )
}

function SignedOut() {
  return (
    <section class="empty">
      <h1>You are not signed in</h1>
      <p>Sign in to create API tokens, see your usage and manage your sessions.</p>
      <p>
        <a class="button button--main" href={signInUrl(window.location)}>
          Sign in
        </a>
      </p>
    </section>
  )
}
