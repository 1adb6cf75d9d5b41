import { useState } from 'preact/hooks'
import { useRequest } from '../request-state.ts'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { EmptyState } from '../components/empty-state.tsx'
import { ErrorNotice } from '../components/error-notice.tsx'
import { Icon } from '../components/icons.tsx'
import { Skeleton } from '../components/skeleton.tsx'
import { Timestamp } from '../components/timestamp.tsx'
import type { AccountProps } from './account-props.ts'
import { TokenDialog } from './token-dialog.tsx'
import type { AccountToken } from './token.ts'

type TokenPage = { items: AccountToken[]; next_cursor: string | null }

/** The tokens of an account: what each may do, how long it lasts and when it was used; to make one, and to revoke. */
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
          A token lets a program ask in your name. Give each program its own, with no more than it needs.
        </p>
        <button type="button" class="button button--main" onClick={() => setCreating(true)}>
          <Icon name="plus" />
          New token
        </button>
      </div>
      {state.status === 'failed' && <ErrorNotice error={state.error} retry={reload} />}
      {state.status === 'loading' && <Skeleton lines={5} />}
      {state.status === 'loaded' && tokens.length === 0 && (
        <EmptyState title="No token yet">
          <p>Make one for a script, for the command line or for an agent. It is shown once.</p>
        </EmptyState>
      )}
      {tokens.length > 0 && <TokenTable tokens={tokens} onRevoke={setRevoking} />}
      {isCreating && (
        <TokenDialog api={api} granted={user.scopes} onCreated={reload} onClose={() => setCreating(false)} />
      )}
      {revoking && (
        <ConfirmDialog
          title="Revoke this token?"
          yes="Revoke it"
          no="Keep it"
          act={() => api.send(`/v1/users/me/tokens/${revoking.id}`, { method: 'DELETE' })}
          onDone={reload}
          onClose={() => setRevoking(null)}
        >
          <strong>{revoking.name}</strong> (…{revoking.last_four}) is refused from the next request on. What uses it
          stops working until it is given another. This cannot be undone.
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
    <div class="table-frame" tabIndex={0} role="region" aria-label="Your tokens">
      <table class="table account-tokens">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">May</th>
            <th scope="col">Ends</th>
            <th scope="col">Last used</th>
            <th scope="col">
              <span class="unseen">Revoke</span>
            </th>
          </tr>
        </thead>
        <tbody>
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
                  <span class="tag tag--bad">over</span>
                ) : (
                  <Timestamp at={token.expires_at} isRelative />
                )}
              </td>
              <td>
                {token.last_used_at === null ? (
                  <span class="soft">not yet</span>
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
        </tbody>
      </table>
    </div>
  )
}

function isExpired({ expires_at }: AccountToken): boolean {
  return expires_at !== null && Date.parse(expires_at) <= Date.now()
}
