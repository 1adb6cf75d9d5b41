import { useState } from 'preact/hooks'
import type { CreatedToken } from '../../auth/account-document.ts'
import type { ApiClient } from '../api-client.ts'
import { FormDialog } from '../components/dialogs.tsx'
import { Select, TextField } from '../components/inputs.tsx'
import { CodeBlock } from '../components/text.tsx'
import { useAction } from '../use-request.ts'
import { CopiedButton } from './invite-dialog.tsx'
import { ScopeChoice } from './scope-choice.tsx'
import type { ScopeName } from './scope-descriptions.ts'

const lifetimes = [
  ['7', '7 days'],
  ['30', '30 days'],
  ['90', '90 days'],
  ['365', '1 year'],
  ['never', 'never'],
] as const

type Props = { api: ApiClient; granted: string[]; onCreated: () => void; onClose: () => void }

/** Creates a token and shows it once, with examples of how to use it. */
export function TokenDialog({ api, granted, onCreated, onClose }: Props) {
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<ScopeName[]>(['fetch'])
  const [days, setDays] = useState('90')
  const create = useAction(
    () =>
      api.post<CreatedToken>('/v1/users/me/tokens', {
        name,
        scopes,
        // Without a lifetime, the server uses 90 days, or less if the token of this session expires earlier.
        ...(days !== '90' && { expires_in_days: days === 'never' ? days : Number(days) }),
      }),
    onCreated,
  )
  return (
    <FormDialog
      title="New token"
      submit="Create token"
      isReady={scopes.length > 0}
      note={scopes.length === 0 && <span class="soft small">Select at least one permission.</span>}
      action={create}
      result={
        create.value && {
          title: 'Your token',
          content: <CreatedTokenView created={create.value} onClose={onClose} />,
        }
      }
      onClose={onClose}
    >
      <TextField
        id="token-name"
        label="Name"
        hint="A name to recognize it by."
        required
        maxLength={100}
        autocomplete="off"
        placeholder="nightly script"
        value={name}
        onText={setName}
      />
      <ScopeChoice legend="Permissions" granted={granted} selected={scopes} onSelect={setScopes} />
      <Select id="token-days" label="Expires after" options={lifetimes} selected={days} onSelect={setDays} />
    </FormDialog>
  )
}

function CreatedTokenView({ created, onClose }: { created: CreatedToken; onClose: () => void }) {
  const { token, name, scopes } = created
  const { origin } = window.location
  const agent = { type: 'http', url: `${origin}/mcp`, headers: { Authorization: `Bearer ${token}` } }
  return (
    <>
      <p class="notice notice--warn">
        <span>
          Copy it now. You cannot see <strong>{name}</strong> again.
        </span>
      </p>
      <CodeBlock label="Token" text={token} />
      <h3>How to use it</h3>
      {scopes.includes('fetch') && (
        <CodeBlock
          label="Shell"
          text={`curl -s ${origin}/v1/fetch \\\n  -H 'Authorization: Bearer ${token}' \\\n  -H 'Content-Type: application/json' \\\n  -d '{"lat":39.7392,"lng":-104.9903,"fields":["county"]}'`}
        />
      )}
      <CodeBlock label="Agent (MCP)" text={JSON.stringify({ mcpServers: { fieldstone: agent } }, null, 2)} />
      <CopiedButton onClick={onClose} />
    </>
  )
}
