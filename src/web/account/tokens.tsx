import { useState } from 'preact/hooks'
import { useAsked } from '../asked.ts'
import { Confirm } from '../parts/confirm.tsx'
import { Empty } from '../parts/empty.tsx'
import { Fault } from '../parts/fault.tsx'
import { Icon } from '../parts/icons.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { Time } from '../parts/time.tsx'
import type { AccountProps } from './account-props.ts'
import { NewToken } from './new-token.tsx'
import type { Token } from './token.ts'

type Page = { items: Token[]; next_cursor: string | null }

/** The tokens of an account: what each may do, how long it lasts and when it was used; to make one, and to revoke. */
export function Tokens({ dashboard: { api }, me }: AccountProps) {
  const [answer, again] = useAsked(
    (signal) =>
      allOf((cursor) =>
        api.get<Page>(`/v1/users/me/tokens?limit=100${cursor === null ? '' : `&cursor=${cursor}`}`, signal),
      ),
    [],
  )
  const [isMaking, setMaking] = useState(false)
  const [revoking, setRevoking] = useState<Token | null>(null)
  const tokens = answer.state === 'here' ? answer.value : []
  return (
    <section class="stack" aria-label="Tokens">
      <div class="account-head">
        <p class="soft">
          A token lets a program ask in your name. Give each program its own, with no more than it needs.
        </p>
        <button type="button" class="button button--main" onClick={() => setMaking(true)}>
          <Icon name="plus" />
          New token
        </button>
      </div>
      {answer.state === 'failed' && <Fault fault={answer.fault} again={again} />}
      {answer.state === 'waiting' && <Skeleton lines={5} />}
      {answer.state === 'here' && tokens.length === 0 && (
        <Empty title="No token yet">
          <p>Make one for a script, for the command line or for an agent. It is shown once.</p>
        </Empty>
      )}
      {tokens.length > 0 && <TokenTable tokens={tokens} onRevoke={setRevoking} />}
      {isMaking && <NewToken api={api} granted={me.scopes} onMade={again} onClose={() => setMaking(false)} />}
      {revoking && (
        <Confirm
          title="Revoke this token?"
          yes="Revoke it"
          no="Keep it"
          act={() => api.send(`/v1/users/me/tokens/${revoking.id}`, { method: 'DELETE' })}
          onDone={again}
          onClose={() => setRevoking(null)}
        >
          <strong>{revoking.name}</strong> (…{revoking.last_four}) is refused from the next request on. What uses it
          stops working until it is given another. This cannot be undone.
        </Confirm>
      )}
    </section>
  )
}

const pagesMax = 20

async function allOf(page: (cursor: string | null) => Promise<Page>): Promise<Token[]> {
  const all: Token[] = []
  let cursor: string | null = null
  for (let i = 0; i < pagesMax; i++) {
    const { items, next_cursor }: Page = await page(cursor)
    all.push(...items)
    if (next_cursor === null) return all
    cursor = next_cursor
  }
  return all
}

function TokenTable({ tokens, onRevoke }: { tokens: Token[]; onRevoke: (token: Token) => void }) {
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
                ) : isOver(token) ? (
                  <span class="tag tag--bad">over</span>
                ) : (
                  <Time at={token.expires_at} isAgo />
                )}
              </td>
              <td>
                {token.last_used_at === null ? (
                  <span class="soft">not yet</span>
                ) : (
                  <Time at={token.last_used_at} isAgo />
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

function isOver({ expires_at }: Token): boolean {
  return expires_at !== null && Date.parse(expires_at) <= Date.now()
}
