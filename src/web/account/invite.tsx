import { useState } from 'preact/hooks'
import type { Api } from '../api.ts'
import { asked, type Asked } from '../asked.ts'
import { Code } from '../parts/code.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Fault } from '../parts/fault.tsx'
import { Time } from '../parts/time.tsx'
import { ScopeChoice } from './scope-choice.tsx'
import { scopeNames, type ScopeName } from './scope-words.ts'

export type Person = { id: string; name: string; scopes: string[]; created_at: string; has_password: boolean }
export type Invited = Person & { invitation_url: string; invitation_expires_at: string }

/** All but what is billed and what rules the house. */
const usual = scopeNames.filter((scope) => scope !== 'admin' && scope !== 'parcel')

/** Invites a person; the link is shown this once. */
export function Invite({
  api,
  granted,
  onInvited,
  onClose,
}: {
  api: Api
  granted: string[]
  onInvited: () => void
  onClose: () => void
}) {
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<ScopeName[]>(usual.filter((scope) => granted.includes(scope)))
  const [answer, setAnswer] = useState<Asked<Invited> | null>(null)
  const invite = async (event: Event) => {
    event.preventDefault()
    setAnswer({ state: 'waiting' })
    const it = await asked(() => api.post<Invited>('/v1/users', { name, scopes }))
    setAnswer(it)
    if (it.state === 'here') onInvited()
  }
  if (answer?.state === 'here')
    return (
      <Dialog title={`${answer.value.name} is invited`} onClose={onClose}>
        <LinkShown invited={answer.value} onClose={onClose} />
      </Dialog>
    )
  return (
    <Dialog title="Invite somebody" onClose={onClose}>
      <form class="stack" onSubmit={(event) => void invite(event)}>
        <div class="field">
          <label for="person-name">Name</label>
          <input
            id="person-name"
            class="input"
            required
            maxLength={64}
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            placeholder="ada"
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
          <span class="field__hint">What they sign in with: letters, digits and . _ @ + -</span>
        </div>
        <ScopeChoice legend="What they may do" granted={granted} chosen={scopes} onChoose={setScopes} />
        {answer?.state === 'failed' && <Fault fault={answer.fault} />}
        <div class="row">
          <button class="button button--main" disabled={scopes.length === 0 || answer?.state === 'waiting'}>
            Make the link
          </button>
        </div>
      </form>
    </Dialog>
  )
}

/** A link for a password, to send to whom it is for. */
export function LinkShown({
  invited: { name, invitation_url, invitation_expires_at },
  onClose,
}: {
  invited: Invited
  onClose: () => void
}) {
  return (
    <>
      <div class="notice notice--warn">
        <p>
          Send it to <strong>{name}</strong> and to nobody else: whoever opens it first sets the password. It is good
          once, until <Time at={invitation_expires_at} />, and is not shown again.
        </p>
      </div>
      <Code label="Link" text={invitation_url} />
      <div class="row">
        <button type="button" class="button button--main" onClick={onClose}>
          I have copied it
        </button>
      </div>
    </>
  )
}
