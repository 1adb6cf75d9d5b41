import { useState } from 'preact/hooks'
import type { ApiFault } from '../api-fault.ts'
import { asked, useAsked } from '../asked.ts'
import type { PageProps } from '../dashboard.ts'
import { Fault } from '../parts/fault.tsx'
import { Icon } from '../parts/icons.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { Time } from '../parts/time.tsx'
import type { AccountProps } from './account-props.ts'
import { scopeNames, scopeWords } from './scope-words.ts'

type Session = { created_at: string; expires_at: string; is_current: boolean }
type Login = { id: string; client_name: string; scopes: string[]; resource: string; created_at: string }
type Listed<T> = { items: T[] }

/** What one may do here, in which browsers one is signed in, and which programs one has let in. */
export function You({ dashboard, me: { scopes, isSession } }: AccountProps) {
  return (
    <div class="stack account-you">
      <section class="card">
        <h2>What you may do</h2>
        <ul class="account-may">
          {scopeNames
            .filter((scope) => scopes.includes(scope))
            .map((scope) => (
              <li key={scope}>
                <Icon name="check" /> {scopeWords[scope]} <code class="soft small">{scope}</code>
              </li>
            ))}
        </ul>
      </section>
      {isSession && <Sessions dashboard={dashboard} />}
      <Programs dashboard={dashboard} />
    </div>
  )
}

function Sessions({ dashboard: { api } }: PageProps) {
  const [answer, again] = useAsked((signal) => api.get<Listed<Session>>('/v1/users/me/sessions', signal), [])
  const [fault, setFault] = useState<ApiFault | null>(null)
  const [me] = useAsked((signal) => api.get<{ csrf_token: string }>('/v1/users/me', signal), [])
  const endOthers = async () => {
    const done = await asked(() => api.send('/v1/users/me/sessions', { method: 'DELETE' }))
    setFault(done.state === 'failed' ? done.fault : null)
    again()
  }
  return (
    <section class="card">
      <h2>Where you are signed in</h2>
      {fault && <Fault fault={fault} />}
      {answer.state === 'failed' && <Fault fault={answer.fault} again={again} />}
      {answer.state === 'waiting' && <Skeleton lines={2} />}
      {answer.state === 'here' && (
        <ul class="account-list">
          {answer.value.items.map(({ created_at, expires_at, is_current }, i) => (
            <li key={i}>
              <span>
                {is_current ? <strong>This browser</strong> : 'Another browser'}, since <Time at={created_at} />
              </span>
              <span class="soft small">
                until <Time at={expires_at} />
              </span>
            </li>
          ))}
        </ul>
      )}
      <div class="row">
        {me.state === 'here' && (
          <form method="post" action="/sign-out">
            <input type="hidden" name="csrf_token" value={me.value.csrf_token} />
            <button class="button">
              <Icon name="out" />
              Sign out
            </button>
          </form>
        )}
        {answer.state === 'here' && answer.value.items.length > 1 && (
          <button type="button" class="button" onClick={() => void endOthers()}>
            Sign out everywhere else
          </button>
        )}
      </div>
    </section>
  )
}

function Programs({ dashboard: { api } }: PageProps) {
  const [answer, again] = useAsked((signal) => api.get<Listed<Login>>('/v1/users/me/logins', signal), [])
  const [fault, setFault] = useState<ApiFault | null>(null)
  const turnOut = async (id: string) => {
    const done = await asked(() => api.send(`/v1/users/me/logins/${id}`, { method: 'DELETE' }))
    setFault(done.state === 'failed' ? done.fault : null)
    again()
  }
  return (
    <section class="card">
      <h2>Programs you let in</h2>
      {fault && <Fault fault={fault} />}
      {answer.state === 'failed' && <Fault fault={answer.fault} again={again} />}
      {answer.state === 'waiting' && <Skeleton lines={2} />}
      {answer.state === 'here' && answer.value.items.length === 0 && (
        <p class="soft">
          None. An agent that is given <code>{window.location.origin}/mcp</code> asks to be let in, and so does{' '}
          <code>fieldstone login --server {window.location.origin}</code>.
        </p>
      )}
      {answer.state === 'here' && answer.value.items.length > 0 && (
        <ul class="account-list">
          {answer.value.items.map(({ id, client_name, scopes, created_at }) => (
            <li key={id}>
              <span>
                <strong>{client_name}</strong>, since <Time at={created_at} />
                <br />
                <span class="soft small">{scopes.join(', ')}</span>
              </span>
              <button
                type="button"
                class="button button--bad button--small"
                aria-label={`Turn out ${client_name}`}
                onClick={() => void turnOut(id)}
              >
                Turn out
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
