import { useState } from 'preact/hooks'
import type { Invitation, ListedUser, UserList } from '../../auth/account-document.ts'
import { ConfirmDialog, Dialog } from '../components/dialogs.tsx'
import { ErrorNotice, Skeleton } from '../components/notices.tsx'
import { Icon } from '../components/icons.tsx'
import { StatusBadge, Timestamp } from '../components/text.tsx'
import { DataTable } from '../components/data-table.tsx'
import type { AccountProps } from '../dashboard.ts'
import type { CurrentUser } from '../session.ts'
import { type RequestError, runRequest } from '../request.ts'
import { useRequest } from '../use-request.ts'
import { InviteDialog, InvitationLink } from './invite-dialog.tsx'

/** Lists the accounts of this server. Administrators invite people, create new links and remove accounts. */
export function PeopleTab({ dashboard: { api }, user }: AccountProps) {
  const [state, reload] = useRequest((signal) => api.get<UserList>('/v1/users', signal), [])
  const [isInviting, setInviting] = useState(false)
  const [removing, setRemoving] = useState<ListedUser | null>(null)
  const [invitation, setInvitation] = useState<Invitation | null>(null)
  const [error, setError] = useState<RequestError | null>(null)
  const createLink = async ({ id }: ListedUser) => {
    const next = await runRequest(() => api.post<Invitation>(`/v1/users/${id}/link`, {}))
    setError(next.status === 'failed' ? next.error : null)
    if (next.status === 'loaded') setInvitation(next.value)
  }
  return (
    <section class="stack" aria-label="People">
      <div class="account-head">
        <p class="soft">People join by invitation only. The invitation link works once and expires after a week.</p>
        <button type="button" class="button button--main" onClick={() => setInviting(true)}>
          <Icon name="plus" />
          Invite a person
        </button>
      </div>
      {error && <ErrorNotice error={error} />}
      {state.status === 'failed' && <ErrorNotice error={state.error} retry={reload} />}
      {state.status === 'loading' && <Skeleton lines={4} />}
      {state.status === 'loaded' && (
        <PeopleTable people={state.value.items} user={user} onLink={createLink} onRemove={setRemoving} />
      )}
      {isInviting && (
        <InviteDialog api={api} granted={user.scopes} onInvited={reload} onClose={() => setInviting(false)} />
      )}
      {invitation && (
        <Dialog title={`Link for ${invitation.name}`} onClose={() => setInvitation(null)}>
          <InvitationLink invitation={invitation} onClose={() => setInvitation(null)} />
        </Dialog>
      )}
      {removing && (
        <ConfirmDialog
          title={`Remove ${removing.name}?`}
          yes="Remove account"
          no="Keep account"
          act={() => api.send(`/v1/users/${removing.id}`, { method: 'DELETE' })}
          onDone={reload}
          onClose={() => setRemoving(null)}
        >
          Their sessions, tokens and connected apps stop working at once, and their runs are cancelled. Another person
          can take the name later. You cannot undo this.
        </ConfirmDialog>
      )}
    </section>
  )
}

type TableProps = {
  people: ListedUser[]
  user: CurrentUser
  onLink: (person: ListedUser) => Promise<void>
  onRemove: (person: ListedUser) => void
}

function PeopleTable({ people, user, onLink, onRemove }: TableProps) {
  return (
    <DataTable
      label="Accounts"
      class="account-people"
      headings={['Name', 'Permissions', 'Created', 'Password', { unseen: 'Actions' }]}
    >
      {people.map((person) => (
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
              <StatusBadge kind="absent" word={person.id === 'owner' ? 'none, signs in with a token' : 'not set'} />
            )}
          </td>
          <td class="account-actions">
            <button
              type="button"
              class="button button--small"
              onClick={() => void onLink(person)}
              aria-label={`New link for ${person.name}`}
            >
              New link
            </button>
            {person.id !== 'owner' && (
              <button
                type="button"
                class="button button--bad button--small"
                aria-label={`Remove ${person.name}`}
                onClick={() => onRemove(person)}
              >
                Remove
              </button>
            )}
          </td>
        </tr>
      ))}
    </DataTable>
  )
}
