import { useState } from 'preact/hooks'
import type { AccountToken, TokenPage } from '../../auth/account-document.ts'
import { ConfirmDialog } from '../components/dialogs.tsx'
import { EmptyState, ErrorNotice, Skeleton } from '../components/notices.tsx'
import { Icon } from '../components/icons.tsx'
import { DataTable } from '../components/data-table.tsx'
import { Timestamp } from '../components/text.tsx'
import type { AccountProps } from '../dashboard.ts'
import { useRequest } from '../use-request.ts'
import { TokenDialog } from './token-dialog.tsx'

/** Lists the tokens of an account with their scopes, expiry and last use. Users create and revoke tokens here. */
export function TokensTab({ dashboard: { api }, user }: AccountProps) {
  const [state, reload] = useRequest(
    (signal) =>
      readAllTokens((cursor) =>
        api.get<TokenPage>(`/v1/users/me/tokens?limit=100${cursor === null ? '' : `&cursor=${cursor}`}`, signal),
      ),
    [],
  )
  const [isCreating, setCreating] = useState(false)
  const [revoking, setRevoking] = useState<AccountToken | null>(null)
  const tokens = state.status === 'loaded' ? state.value : []
  return (
    <section class="stack" aria-label="Tokens">
      <div class="account-head">
        <p class="soft">
          A token lets a program use the API in your name. Give each program its own token with only the permissions it
          needs.
        </p>
        <button type="button" class="button button--main" onClick={() => setCreating(true)}>
          <Icon name="plus" />
          New token
        </button>
      </div>
      {state.status === 'failed' && <ErrorNotice error={state.error} retry={reload} />}
      {state.status === 'loading' && <Skeleton lines={5} />}
      {state.status === 'loaded' && tokens.length === 0 && (
        <EmptyState title="No tokens yet">
          <p>Create one for a script, the command line or an agent. A token is shown only once.</p>
        </EmptyState>
      )}
      {tokens.length > 0 && <TokenTable tokens={tokens} onRevoke={setRevoking} />}
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
    </section>
  )
}

const maxPages = 20

async function readAllTokens(readPage: (cursor: string | null) => Promise<TokenPage>): Promise<AccountToken[]> {
  const tokens: AccountToken[] = []
  let cursor: string | null = null
  for (let i = 0; i < maxPages; i++) {
    const { items, next_cursor }: TokenPage = await readPage(cursor)
    tokens.push(...items)
    if (next_cursor === null) return tokens
    cursor = next_cursor
  }
  return tokens
}

function TokenTable({ tokens, onRevoke }: { tokens: AccountToken[]; onRevoke: (token: AccountToken) => void }) {
  return (
    <DataTable
      label="Your tokens"
      class="account-tokens"
      headings={['Name', 'Permissions', 'Expires', 'Last used', { unseen: 'Revoke' }]}
    >
      {tokens.map((token) => (
        <tr key={token.id}>
          <th scope="row">
            {token.name}
            <br />
            <code class="soft account-last">…{token.last_four}</code>
          </th>
          <td>
            <ul class="account-scopes">
              {token.scopes.map((scope) => (
                <li key={scope} class="tag">
                  {scope}
                </li>
              ))}
            </ul>
          </td>
          <td>
            {token.expires_at === null ? (
              'never'
            ) : isExpired(token) ? (
              <span class="tag tag--bad">expired</span>
            ) : (
              <Timestamp at={token.expires_at} isRelative />
            )}
          </td>
          <td>
            {token.last_used_at === null ? (
              <span class="soft">never used</span>
            ) : (
              <Timestamp at={token.last_used_at} isRelative />
            )}
          </td>
          <td class="number">
            <button
              type="button"
              class="button button--bad button--small"
              aria-label={`Revoke ${token.name}`}
              onClick={() => onRevoke(token)}
            >
              Revoke
            </button>
          </td>
        </tr>
      ))}
    </DataTable>
  )
}

function isExpired({ expires_at }: AccountToken): boolean {
  return expires_at !== null && Date.parse(expires_at) <= Date.now()
}
