import { useState } from 'preact/hooks'
import type { ApiFault } from '../api-fault.ts'
import { asked, useAsked } from '../asked.ts'
import { Confirm } from '../parts/confirm.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Fault } from '../parts/fault.tsx'
import { Icon } from '../parts/icons.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { Status } from '../parts/status.tsx'
import { Time } from '../parts/time.tsx'
import type { AccountProps } from './account-props.ts'
import { Invite, LinkShown, type Invited, type Person } from './invite.tsx'

/** Who has an account on this server: to invite somebody, to help them to a new password, to remove them. */
export function People({ dashboard: { api }, me }: AccountProps) {
  const [answer, again] = useAsked((signal) => api.get<{ items: Person[] }>('/v1/users', signal), [])
  const [isInviting, setInviting] = useState(false)
  const [removing, setRemoving] = useState<Person | null>(null)
  const [linked, setLinked] = useState<Invited | null>(null)
  const [fault, setFault] = useState<ApiFault | null>(null)
  const link = async ({ id }: Person) => {
    const made = await asked(() => api.post<Invited>(`/v1/users/${id}/link`, {}))
    setFault(made.state === 'failed' ? made.fault : null)
    if (made.state === 'here') setLinked(made.value)
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
      {fault && <Fault fault={fault} />}
      {answer.state === 'failed' && <Fault fault={answer.fault} again={again} />}
      {answer.state === 'waiting' && <Skeleton lines={4} />}
      {answer.state === 'here' && (
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
              {answer.value.items.map((person) => (
                <tr key={person.id}>
                  <th scope="row">
                    {person.name}
                    {person.id === me.id && <span class="soft small"> (you)</span>}
                  </th>
                  <td>{person.scopes.join(', ')}</td>
                  <td>
                    <Time at={person.created_at} />
                  </td>
                  <td>
                    {person.has_password ? (
                      <Status kind="ok" word="set" />
                    ) : (
                      <Status kind="absent" word={person.id === 'owner' ? 'none: signs in with a token' : 'not yet'} />
                    )}
                  </td>
                  <td class="account-actions">
                    <button
                      type="button"
                      class="button button--small"
                      onClick={() => void link(person)}
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
      {isInviting && <Invite api={api} granted={me.scopes} onInvited={again} onClose={() => setInviting(false)} />}
      {linked && (
        <Dialog title={`A link for ${linked.name}`} onClose={() => setLinked(null)}>
          <LinkShown invited={linked} onClose={() => setLinked(null)} />
        </Dialog>
      )}
      {removing && (
        <Confirm
          title={`Remove ${removing.name}?`}
          yes="Remove them"
          no="Keep them"
          act={() => api.send(`/v1/users/${removing.id}`, { method: 'DELETE' })}
          onDone={again}
          onClose={() => setRemoving(null)}
        >
          Their browsers, tokens and programs are shut out from the next request on, and their runs are stopped. Another
          person can have the name later. This cannot be undone.
        </Confirm>
      )}
    </section>
  )
}
