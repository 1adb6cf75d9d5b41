import { useState } from 'preact/hooks'
import type { RequestError } from '../request-error.ts'
import { runRequest, useRequest } from '../request-state.ts'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { Dialog } from '../components/dialog.tsx'
import { ErrorNotice } from '../components/error-notice.tsx'
import { Icon } from '../components/icons.tsx'
import { Skeleton } from '../components/skeleton.tsx'
import { StatusBadge } from '../components/status-badge.tsx'
import { Timestamp } from '../components/timestamp.tsx'
import type { AccountProps } from './account-props.ts'
import { InviteDialog, InvitationLink, type Invitation, type Person } from './invite-dialog.tsx'

/** Who has an account on this server: to invite somebody, to help them to a new password, to remove them. */
export function PeopleTab({ dashboard: { api }, user }: AccountProps) {
  const [state, reload] = useRequest((signal) => api.get<{ items: Person[] }>('/v1/users', signal), [])
  const [isInviting, setInviting] = useState(false)
  const [removing, setRemoving] = useState<Person | null>(null)
  const [invitation, setInvitation] = useState<Invitation | null>(null)
  const [error, setError] = useState<RequestError | null>(null)
  const createLink = async ({ id }: Person) => {
    const next = await runRequest(() => api.post<Invitation>(`/v1/users/${id}/link`, {}))
    setError(next.status === 'failed' ? next.error : null)
    if (next.status === 'loaded') setInvitation(next.value)
  }
  return (
    <section class="stack" aria-label="People">
      <div class="account-head">
        <p class="soft">
          There is no account without an invitation: a link, good once and for a week, at which they set a password.
        </p>
        <button type="button" class="button button--main" onClick={() => setInviting(true)}>
          <Icon name="plus" />
          Invite somebody
        </button>
      </div>
      {error && <ErrorNotice error={error} />}
      {state.status === 'failed' && <ErrorNotice error={state.error} retry={reload} />}
      {state.status === 'loading' && <Skeleton lines={4} />}
      {state.status === 'loaded' && (
        <div class="table-frame" tabIndex={0} role="region" aria-label="Everybody">
          <table class="table account-people">
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">May</th>
                <th scope="col">Since</th>
                <th scope="col">Password</th>
                <th scope="col">
                  <span class="unseen">What can be done</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {state.value.items.map((person) => (
                <tr key={person.id}>
                  <th scope="row">
                    {person.name}
                    {person.id === user.id && <span class="soft small"> (you)</span>}
                  </th>
                  <td>{person.scopes.join(', ')}</td>
                  <td>
                    <Timestamp at={person.created_at} />
                  </td>
                  <td>
                    {person.has_password ? (
                      <StatusBadge kind="ok" word="set" />
                    ) : (
                      <StatusBadge
                        kind="absent"
                        word={person.id === 'owner' ? 'none: signs in with a token' : 'not yet'}
                      />
                    )}
                  </td>
                  <td class="account-actions">
                    <button
                      type="button"
                      class="button button--small"
                      onClick={() => void createLink(person)}
                      aria-label={`New link for ${person.name}`}
                    >
                      New link
                    </button>
                    {person.id !== 'owner' && (
                      <button
                        type="button"
                        class="button button--bad button--small"
                        aria-label={`Remove ${person.name}`}
                        onClick={() => setRemoving(person)}
                      >
                        Remove
                      </button>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {isInviting && (
        <InviteDialog api={api} granted={user.scopes} onInvited={reload} onClose={() => setInviting(false)} />
      )}
      {invitation && (
        <Dialog title={`A link for ${invitation.name}`} onClose={() => setInvitation(null)}>
          <InvitationLink invitation={invitation} onClose={() => setInvitation(null)} />
        </Dialog>
      )}
      {removing && (
        <ConfirmDialog
          title={`Remove ${removing.name}?`}
          yes="Remove them"
          no="Keep them"
          act={() => api.send(`/v1/users/${removing.id}`, { method: 'DELETE' })}
          onDone={reload}
          onClose={() => setRemoving(null)}
        >
          Their browsers, tokens and programs are shut out from the next request on, and their runs are stopped. Another
          person can have the name later. This cannot be undone.
        </ConfirmDialog>
      )}
    </section>
  )
}
