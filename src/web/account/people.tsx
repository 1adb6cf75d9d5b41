import { useState } from 'preact/hooks'
import type { Invitation, ListedUser, UserList } from '../../auth/account-document.ts'
import { Button } from '../components/buttons.tsx'
import { DataTable } from '../components/data-table.tsx'
import { ConfirmDialog, Dialog } from '../components/dialogs.tsx'
import { ListSection } from '../components/headings.tsx'
import { ErrorNotice } from '../components/notices.tsx'
import { StatusBadge, Timestamp } from '../components/text.tsx'
import type { AccountProps } from '../dashboard.ts'
import type { CurrentUser } from '../session.ts'
import { useAction, useRequest } from '../use-request.ts'
import { InviteDialog, InvitationLink } from './invite-dialog.tsx'

/** Lists the accounts of this server. Administrators invite people, create new links and remove accounts. */
export function PeopleTab({ dashboard: { api }, user }: AccountProps) {
  const [state, reload] = useRequest(async (signal) => (await api.get<UserList>('/v1/users', signal)).items, [])
  const [isInviting, setInviting] = useState(false)
  const [removing, setRemoving] = useState<ListedUser | null>(null)
  const [invitation, setInvitation] = useState<Invitation | null>(null)
  const link = useAction(({ id }: ListedUser) => api.post<Invitation>(`/v1/users/${id}/link`, {}), setInvitation)
  return (
    <>
      {link.error && <ErrorNotice error={link.error} />}
      <ListSection
        label="People"
        about="People join by invitation only. The invitation link works once and expires after a week."
        action={
          <Button look="main" icon="plus" onClick={() => setInviting(true)}>
            Invite a person
          </Button>
        }
        state={state}
        retry={reload}
        lines={4}
      >
        {(people) => <PeopleTable people={people} user={user} onLink={link.start} onRemove={setRemoving} />}
      </ListSection>
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
    </>
  )
}

type TableProps = {
  people: readonly ListedUser[]
  user: CurrentUser
  onLink: (person: ListedUser) => void
  onRemove: (person: ListedUser) => void
}

function PeopleTable({ people, user, onLink, onRemove }: TableProps) {
  return (
    <DataTable
      label="Accounts"
      class="account-people"
      rows={people}
      keyOf={({ id }) => id}
      columns={[
        {
          heading: 'Name',
          kind: 'name',
          cell: ({ id, name }) => [name, id === user.id && <span class="soft small"> (you)</span>],
        },
        { heading: 'Permissions', cell: ({ scopes }) => scopes.join(', ') },
        { heading: 'Created', cell: ({ created_at }) => <Timestamp at={created_at} /> },
        { heading: 'Password', cell: passwordCell },
        {
          heading: 'Actions',
          kind: 'actions',
          cell: (person) => (
            <>
              <Button look="small" aria-label={`New link for ${person.name}`} onClick={() => onLink(person)}>
                New link
              </Button>
              {person.id !== 'owner' && (
                <Button look="small bad" aria-label={`Remove ${person.name}`} onClick={() => onRemove(person)}>
                  Remove
                </Button>
              )}
            </>
          ),
        },
      ]}
    />
  )
}

function passwordCell({ id, has_password }: ListedUser) {
  if (has_password) return <StatusBadge kind="ok" word="set" />
  return <StatusBadge kind="absent" word={id === 'owner' ? 'none, signs in with a token' : 'not set'} />
}
