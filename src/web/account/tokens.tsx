import { useState } from 'preact/hooks'
import type { AccountToken, TokenPage, CreatedToken } from '../../auth/account-document.ts'
import type { ApiClient } from '../api-client.ts'
import { Button } from '../components/buttons.tsx'
import { DataTable } from '../components/data-table.tsx'
import { ConfirmDialog, FormDialog } from '../components/dialogs.tsx'
import { ListSection } from '../components/headings.tsx'
import { EmptyState } from '../components/notices.tsx'
import { Timestamp, CodeBlock } from '../components/text.tsx'
import type { AccountProps } from '../dashboard.ts'
import { useRequest, useAction } from '../use-request.ts'
import { Select, TextField } from '../components/inputs.tsx'
import { CopiedButton } from './invite-dialog.tsx'
import { ScopeChoice } from './scope-choice.tsx'
import type { ScopeName } from './scope-descriptions.ts'

/** Lists the tokens of an account with their scopes, expiry and last use. Users create and revoke tokens here. */
export function TokensTab({ dashboard: { api }, user }: AccountProps) {
  const [state, reload] = useRequest((signal) => readAllTokens(api, signal), [])
  const [isCreating, setCreating] = useState(false)
  const [revoking, setRevoking] = useState<AccountToken | null>(null)
  return (
    <>
      <ListSection
        label="Tokens"
        about="A token lets a program use the API in your name. Give each program its own token with only the permissions it needs."
        action={
          <Button look="main" icon="plus" onClick={() => setCreating(true)}>
            New token
          </Button>
        }
        state={state}
        retry={reload}
        lines={5}
        empty={
          <EmptyState title="No tokens yet">
            Create one for a script, the command line or an agent. A token is shown only once.
          </EmptyState>
        }
      >
        {(tokens) => <TokenTable tokens={tokens} onRevoke={setRevoking} />}
      </ListSection>
      {isCreating && (
        <TokenDialog api={api} granted={user.scopes} onCreated={reload} onClose={() => setCreating(false)} />
      )}
      {revoking && (
        <ConfirmDialog
          title="Revoke this token?"
          yes="Revoke token"
          no="Keep token"
          act={() => api.send(`/v1/users/me/tokens/${revoking.id}`, { method: 'DELETE' })}
          onDone={reload}
          onClose={() => setRevoking(null)}
        >
          <strong>{revoking.name}</strong> (…{revoking.last_four}) stops working at once, and so does every program that
          uses it. You cannot undo this.
        </ConfirmDialog>
      )}
    </>
  )
}

const maxPages = 20

async function readAllTokens(api: ApiClient, signal: AbortSignal): Promise<AccountToken[]> {
  const tokens: AccountToken[] = []
  let query = ''
  for (let i = 0; i < maxPages; i++) {
    const page: TokenPage = await api.get(`/v1/users/me/tokens?limit=100${query}`, signal)
    tokens.push(...page.items)
    if (page.next_cursor === null) return tokens
    query = `&cursor=${page.next_cursor}`
  }
  return tokens
}

type TableProps = { tokens: readonly AccountToken[]; onRevoke: (token: AccountToken) => void }

function TokenTable({ tokens, onRevoke }: TableProps) {
  return (
    <DataTable
      label="Your tokens"
      class="account-tokens"
      rows={tokens}
      keyOf={({ id }) => id}
      columns={[
        { heading: 'Name', kind: 'name', cell: nameCell },
        { heading: 'Permissions', cell: scopesCell },
        { heading: 'Expires', cell: expiryCell },
        {
          heading: 'Last used',
          cell: ({ last_used_at: at }) =>
            at === null ? <span class="soft">never used</span> : <Timestamp at={at} isRelative />,
        },
        {
          heading: 'Revoke',
          kind: 'actions',
          cell: (token) => (
            <Button look="small bad" aria-label={`Revoke ${token.name}`} onClick={() => onRevoke(token)}>
              Revoke
            </Button>
          ),
        },
      ]}
    />
  )
}

function nameCell({ name, last_four }: AccountToken) {
  return (
    <>
      {name}
      <br />
      <code class="soft account-last">…{last_four}</code>
    </>
  )
}

function scopesCell({ scopes }: AccountToken) {
  return (
    <ul class="tags">
      {scopes.map((scope) => (
        <li key={scope} class="tag">
          {scope}
        </li>
      ))}
    </ul>
  )
}

function expiryCell({ expires_at }: AccountToken) {
  if (expires_at === null) return 'never'
  if (Date.parse(expires_at) <= Date.now()) return <span class="tag tag--bad">expired</span>
  return <Timestamp at={expires_at} isRelative />
}

const lifetimes = [
  ['7', '7 days'],
  ['30', '30 days'],
  ['90', '90 days'],
  ['365', '1 year'],
  ['never', 'never'],
] as const

type TokenDialogProps = { api: ApiClient; granted: string[]; onCreated: () => void; onClose: () => void }

/** Creates a token and shows it once, with examples of how to use it. */
function TokenDialog({ api, granted, onCreated, onClose }: TokenDialogProps) {
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
