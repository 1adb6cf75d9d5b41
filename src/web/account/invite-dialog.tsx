import { useState } from 'preact/hooks'
import type { Invitation } from '../../auth/account-document.ts'
import type { ApiClient } from '../api-client.ts'
import { runRequest, type RequestState } from '../request.ts'
import { CodeBlock, Timestamp } from '../components/text.tsx'
import { Dialog } from '../components/dialogs.tsx'
import { ErrorNotice } from '../components/notices.tsx'
import { ScopeChoice } from './scope-choice.tsx'
import { scopeNames, type ScopeName } from './scope-descriptions.ts'

/** All scopes but `parcel`, which is billed, and `admin`. */
const defaultScopes = scopeNames.filter((scope) => scope !== 'admin' && scope !== 'parcel')

/** Invites a person and shows the invitation link once. */
export function InviteDialog({
  api,
  granted,
  onInvited,
  onClose,
}: {
  api: ApiClient
  granted: string[]
  onInvited: () => void
  onClose: () => void
}) {
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<ScopeName[]>(defaultScopes.filter((scope) => granted.includes(scope)))
  const [state, setState] = useState<RequestState<Invitation> | null>(null)
  const invite = async (event: Event) => {
    event.preventDefault()
    setState({ status: 'loading' })
    const next = await runRequest(() => api.post<Invitation>('/v1/users', { name, scopes }))
    setState(next)
    if (next.status === 'loaded') onInvited()
  }
  if (state?.status === 'loaded')
    return (
      <Dialog title={`${state.value.name} is invited`} onClose={onClose}>
        <InvitationLink invitation={state.value} onClose={onClose} />
      </Dialog>
    )
  return (
    <Dialog title="Invite a person" onClose={onClose}>
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
          <span class="field__hint">The name they sign in with: letters, digits and . _ @ + -</span>
        </div>
        <ScopeChoice legend="Permissions" granted={granted} selected={scopes} onSelect={setScopes} />
        {state?.status === 'failed' && <ErrorNotice error={state.error} />}
        <div class="row">
          <button class="button button--main" disabled={scopes.length === 0 || state?.status === 'loading'}>
            Create invitation link
          </button>
        </div>
      </form>
    </Dialog>
  )
}

/** An invitation link to copy and send to one person. */
export function InvitationLink({
  invitation: { name, invitation_url, invitation_expires_at },
  onClose,
}: {
  invitation: Invitation
  onClose: () => void
}) {
  return (
    <>
      <div class="notice notice--warn">
        <p>
          Send this link to <strong>{name}</strong> only. Whoever opens it first sets the password. It works once, until{' '}
          <Timestamp at={invitation_expires_at} />, and is not shown again.
        </p>
      </div>
      <CodeBlock label="Link" text={invitation_url} />
      <div class="row">
        <button type="button" class="button button--main" onClick={onClose}>
          I copied it
        </button>
      </div>
    </>
  )
}
