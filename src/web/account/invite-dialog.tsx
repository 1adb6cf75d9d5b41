import { useState } from 'preact/hooks'
import type { Invitation } from '../../auth/account-document.ts'
import type { ApiClient } from '../api-client.ts'
import { Button } from '../components/buttons.tsx'
import { FormDialog } from '../components/dialogs.tsx'
import { TextField } from '../components/inputs.tsx'
import { CodeBlock, Timestamp } from '../components/text.tsx'
import { useAction } from '../use-request.ts'
import { ScopeChoice } from './scope-choice.tsx'
import { scopeNames, type ScopeName } from './scope-descriptions.ts'

/** All scopes but `parcel`, which is billed, and `admin`. */
const defaultScopes = scopeNames.filter((scope) => scope !== 'admin' && scope !== 'parcel')

type Props = { api: ApiClient; granted: string[]; onInvited: () => void; onClose: () => void }

/** Invites a person and shows the invitation link once. */
export function InviteDialog({ api, granted, onInvited, onClose }: Props) {
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<ScopeName[]>(defaultScopes.filter((scope) => granted.includes(scope)))
  const invite = useAction(() => api.post<Invitation>('/v1/users', { name, scopes }), onInvited)
  return (
    <FormDialog
      title="Invite a person"
      submit="Create invitation link"
      isReady={scopes.length > 0}
      action={invite}
      result={
        invite.value && {
          title: `${invite.value.name} is invited`,
          content: <InvitationLink invitation={invite.value} onClose={onClose} />,
        }
      }
      onClose={onClose}
    >
      <TextField
        id="person-name"
        label="Name"
        hint="The name they sign in with: letters, digits and . _ @ + -"
        required
        maxLength={64}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        placeholder="ada"
        value={name}
        onText={setName}
      />
      <ScopeChoice legend="Permissions" granted={granted} selected={scopes} onSelect={setScopes} />
    </FormDialog>
  )
}

/** An invitation link to copy and send to one person. */
export function InvitationLink({ invitation, onClose }: { invitation: Invitation; onClose: () => void }) {
  const { name, invitation_url, invitation_expires_at } = invitation
  return (
    <>
      <p class="notice notice--warn">
        <span>
          Send this link to <strong>{name}</strong> only. Whoever opens it first sets the password. It works once, until{' '}
          <Timestamp at={invitation_expires_at} />, and is not shown again.
        </span>
      </p>
      <CodeBlock label="Link" text={invitation_url} />
      <CopiedButton onClick={onClose} />
    </>
  )
}

/** Closes a dialog whose content is shown only once. */
export function CopiedButton({ onClick }: { onClick: () => void }) {
  return (
    <div class="row">
      <Button look="main" onClick={onClick}>
        I copied it
      </Button>
    </div>
  )
}
