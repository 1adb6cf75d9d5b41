import { useState } from 'preact/hooks'
import type { CurrentUserDocument, LoginList, SessionList } from '../../auth/account-document.ts'
import { ErrorNotice, Skeleton } from '../components/notices.tsx'
import { Icon } from '../components/icons.tsx'
import { Timestamp } from '../components/text.tsx'
import { UnitSwitch } from '../components/buttons.tsx'
import type { PageProps, AccountProps } from '../dashboard.ts'
import { type RequestError, runRequest } from '../request.ts'
import { useRequest } from '../use-request.ts'
import { scopeNames, scopeDescriptions } from './scope-descriptions.ts'

/** Shows the permissions of the user, the signed-in browsers and the connected apps. */
export function ProfileTab({ dashboard, user: { scopes, isSession } }: AccountProps) {
  return (
    <div class="stack account-you">
      <section class="card">
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
      <section class="card">
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
  const [error, setError] = useState<RequestError | null>(null)
  const [user] = useRequest((signal) => api.get<CurrentUserDocument>('/v1/users/me', signal), [])
  const endOthers = async () => {
    const result = await runRequest(() => api.send('/v1/users/me/sessions', { method: 'DELETE' }))
    setError(result.status === 'failed' ? result.error : null)
    reload()
  }
  return (
    <section class="card">
      <h2>Active sessions</h2>
      {error && <ErrorNotice error={error} />}
      {state.status === 'failed' && <ErrorNotice error={state.error} retry={reload} />}
      {state.status === 'loading' && <Skeleton lines={2} />}
      {state.status === 'loaded' && (
        <ul class="account-list">
          {state.value.items.map(({ created_at, expires_at, is_current }, i) => (
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
          <button type="button" class="button" onClick={() => void endOthers()}>
            Sign out all other browsers
          </button>
        )}
      </div>
    </section>
  )
}

function ConnectedAppsCard({ dashboard: { api } }: PageProps) {
  const [state, reload] = useRequest((signal) => api.get<LoginList>('/v1/users/me/logins', signal), [])
  const [error, setError] = useState<RequestError | null>(null)
  const revoke = async (id: string) => {
    const result = await runRequest(() => api.send(`/v1/users/me/logins/${id}`, { method: 'DELETE' }))
    setError(result.status === 'failed' ? result.error : null)
    reload()
  }
  return (
    <section class="card">
      <h2>Connected apps</h2>
      {error && <ErrorNotice error={error} />}
      {state.status === 'failed' && <ErrorNotice error={state.error} retry={reload} />}
      {state.status === 'loading' && <Skeleton lines={2} />}
      {state.status === 'loaded' && state.value.items.length === 0 && (
        <p class="soft">
          None. To connect an agent, give it <code>{window.location.origin}/mcp</code> as the server URL. To connect the
          command line, run <code>fieldstone login --server {window.location.origin}</code>.
        </p>
      )}
      {state.status === 'loaded' && state.value.items.length > 0 && (
        <ul class="account-list">
          {state.value.items.map(({ id, client_name, scopes, created_at }) => (
            <li key={id}>
              <span>
                <strong>{client_name}</strong>, connected <Timestamp at={created_at} />
                <br />
                <span class="soft small">{scopes.join(', ')}</span>
              </span>
              <button
                type="button"
                class="button button--bad button--small"
                aria-label={`Disconnect ${client_name}`}
                onClick={() => void revoke(id)}
              >
                Disconnect
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
