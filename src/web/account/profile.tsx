import type { ComponentChildren } from 'preact'
import type { CurrentUserDocument, LoginList, SessionList } from '../../auth/account-document.ts'
import { Button, UnitSwitch } from '../components/buttons.tsx'
import { Icon } from '../components/icons.tsx'
import { ErrorNotice, Loaded } from '../components/notices.tsx'
import { Timestamp } from '../components/text.tsx'
import type { PageProps, AccountProps } from '../dashboard.ts'
import { useAction, useRequest } from '../use-request.ts'
import { scopeNames, scopeDescriptions } from './scope-descriptions.ts'

/** Shows the permissions of the user, the signed-in browsers and the connected apps. */
export function ProfileTab({ dashboard, user: { scopes, isSession } }: AccountProps) {
  return (
    <div class="stack account-you">
      <section class="card stack stack--3">
        <h2>Your permissions</h2>
        <ul class="account-may">
          {scopeNames
            .filter((scope) => scopes.includes(scope))
            .map((scope) => (
              <li key={scope}>
                <Icon name="check" /> {scopeDescriptions[scope]} <code class="soft small">{scope}</code>
              </li>
            ))}
        </ul>
      </section>
      <section class="card stack stack--3">
        <h2>Units</h2>
        <p>Distances, heights and temperatures are shown in these units first. This browser remembers the choice.</p>
        <p>
          <UnitSwitch dashboard={dashboard} />
        </p>
      </section>
      {isSession && <SessionsCard dashboard={dashboard} />}
      <ConnectedAppsCard dashboard={dashboard} />
    </div>
  )
}

function SessionsCard({ dashboard: { api } }: PageProps) {
  const [state, reload] = useRequest((signal) => api.get<SessionList>('/v1/users/me/sessions', signal), [])
  const [user] = useRequest((signal) => api.get<CurrentUserDocument>('/v1/users/me', signal), [])
  const endOthers = useAction(() => api.send('/v1/users/me/sessions', { method: 'DELETE' }), reload)
  return (
    <section class="card stack stack--3">
      <h2>Active sessions</h2>
      {endOthers.error && <ErrorNotice error={endOthers.error} />}
      <Loaded state={state} retry={reload} lines={2}>
        {({ items }) => (
          <ul class="account-list">
            {items.map(({ created_at, expires_at, is_current }, i) => (
              <li key={i}>
                <span>
                  {is_current ? <strong>This browser</strong> : 'Another browser'}, signed in{' '}
                  <Timestamp at={created_at} />
                </span>
                <span class="soft small">
                  expires <Timestamp at={expires_at} />
                </span>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      <div class="row">
        {user.status === 'loaded' && (
          <form method="post" action="/sign-out">
            <input type="hidden" name="csrf_token" value={user.value.csrf_token} />
            <button class="button">
              <Icon name="out" />
              Sign out
            </button>
          </form>
        )}
        {state.status === 'loaded' && state.value.items.length > 1 && (
          <Button onClick={() => endOthers.start()}>Sign out all other browsers</Button>
        )}
      </div>
    </section>
  )
}

function ConnectedAppsCard({ dashboard: { api } }: PageProps) {
  const [state, reload] = useRequest((signal) => api.get<LoginList>('/v1/users/me/logins', signal), [])
  const revoke = useAction((id: string) => api.send(`/v1/users/me/logins/${id}`, { method: 'DELETE' }), reload)
  return (
    <section class="card stack stack--3">
      <h2>Connected apps</h2>
      {revoke.error && <ErrorNotice error={revoke.error} />}
      <Loaded state={state} retry={reload} lines={2}>
        {({ items }) => (items.length === 0 ? <NoApps /> : <ul class="account-list">{items.map(appItem)}</ul>)}
      </Loaded>
    </section>
  )

  function appItem({ id, client_name, scopes, created_at }: LoginList['items'][number]): ComponentChildren {
    return (
      <li key={id}>
        <span>
          <strong>{client_name}</strong>, connected <Timestamp at={created_at} />
          <br />
          <span class="soft small">{scopes.join(', ')}</span>
        </span>
        <Button look="small bad" aria-label={`Disconnect ${client_name}`} onClick={() => revoke.start(id)}>
          Disconnect
        </Button>
      </li>
    )
  }
}

function NoApps() {
  const { origin } = window.location
  return (
    <p class="soft">
      None. To connect an agent, give it <code>{origin}/mcp</code> as the server URL. To connect the command line, run{' '}
      <code>fieldstone login --server {origin}</code>.
    </p>
  )
}
