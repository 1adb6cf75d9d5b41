import { useState } from 'preact/hooks'
import type { AccountToken, TokenPage } from '../../auth/account-document.ts'
import type { ApiClient } from '../api-client.ts'
import { Button } from '../components/buttons.tsx'
import { DataTable } from '../components/data-table.tsx'
import { ConfirmDialog } from '../components/dialogs.tsx'
import { ListSection } from '../components/list-section.tsx'
import { EmptyState } from '../components/notices.tsx'
import { Timestamp } from '../components/text.tsx'
import type { AccountProps } from '../dashboard.ts'
import { useRequest } from '../use-request.ts'
import { TokenDialog } from './token-dialog.tsx'

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
