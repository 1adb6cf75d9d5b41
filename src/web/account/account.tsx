import type { PageProps, AccountProps } from '../dashboard.ts'
import { Button } from '../components/buttons.tsx'
import { Icon } from '../components/icons.tsx'
import { PageHeader, ListSection } from '../components/headings.tsx'
import { Skeleton, EmptyState } from '../components/notices.tsx'
import { signInUrl, type CurrentUser } from '../session.ts'
import { PeopleTab } from './people.tsx'
import { TokensTab } from './tokens.tsx'
import { UsageTab } from './usage.tsx'
import { ProfileTab } from './profile.tsx'
import { useState } from 'preact/hooks'
import type { ShareLink, ShareList } from '../../auth/account-document.ts'
import { DataTable } from '../components/data-table.tsx'
import { ConfirmDialog } from '../components/dialogs.tsx'
import { Timestamp } from '../components/text.tsx'
import { useRequest } from '../use-request.ts'

/** Lists the read-only links of an account. Users revoke them here. */
function LinksTab({ dashboard: { api } }: AccountProps) {
  const [state, reload] = useRequest(
    async (signal) => (await api.get<ShareList>('/v1/users/me/shares', signal)).items,
    [],
  )
  const [revoking, setRevoking] = useState<ShareLink | null>(null)
  return (
    <>
      <ListSection
        label="Links"
        about="A link shows one report or one run to everyone who has it, without an account. To create one, choose Share on Explore or on the page of a run."
        state={state}
        retry={reload}
        lines={5}
        empty={<EmptyState title="No links">Links that have expired or were revoked are not listed.</EmptyState>}
      >
        {(links) => (
          <DataTable
            label="Your links"
            rows={links}
            keyOf={({ id }) => id}
            columns={[
              { heading: 'Content', kind: 'name', cell: contentCell },
              { heading: 'Created', cell: ({ created_at }) => <Timestamp at={created_at} isRelative /> },
              { heading: 'Expires', cell: ({ expires_at }) => <Timestamp at={expires_at} /> },
              { heading: 'Revoke', kind: 'actions', cell: (link) => revokeButton(link.title, () => setRevoking(link)) },
            ]}
          />
        )}
      </ListSection>
      {revoking && (
        <ConfirmDialog
          title="Revoke this link?"
          yes="Revoke link"
          no="Keep link"
          act={() => api.send(`/v1/users/me/shares/${revoking.id}`, { method: 'DELETE' })}
          onDone={reload}
          onClose={() => setRevoking(null)}
        >
          The link to <strong>{revoking.title}</strong> stops working at once. You cannot undo this.
        </ConfirmDialog>
      )}
    </>
  )
}

function contentCell({ run_id, title, kind }: ShareLink) {
  return (
    <>
      {run_id === null ? title : <a href={`/runs/${run_id}`}>{title}</a>} <span class="tag">{kind}</span>
    </>
  )
}

function revokeButton(title: string, onClick: () => void) {
  return (
    <Button look="small bad" aria-label={`Revoke the link to ${title}`} onClick={onClick}>
      Revoke
    </Button>
  )
}

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
