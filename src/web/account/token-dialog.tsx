import { useState } from 'preact/hooks'
import type { CreatedToken } from '../../auth/account-document.ts'
import type { ApiClient } from '../api-client.ts'
import { CodeBlock } from '../components/text.tsx'
import { Dialog } from '../components/dialogs.tsx'
import { ErrorNotice } from '../components/notices.tsx'
import { runRequest, type RequestState } from '../request.ts'
import { ScopeChoice } from './scope-choice.tsx'
import type { ScopeName } from './scope-descriptions.ts'

type Props = { api: ApiClient; granted: string[]; onCreated: () => void; onClose: () => void }

/** Creates a token and shows it once, with examples of how to use it. */
export function TokenDialog({ api, granted, onCreated, onClose }: Props) {
  const [created, setCreated] = useState<CreatedToken | null>(null)
  const showToken = (token: CreatedToken) => {
    setCreated(token)
    onCreated()
  }
  return (
    <Dialog title={created ? 'Your token' : 'New token'} onClose={onClose}>
      {created ? (
        <CreatedTokenView created={created} onClose={onClose} />
      ) : (
        <TokenForm api={api} granted={granted} onCreated={showToken} />
      )}
    </Dialog>
  )
}

function TokenForm({
  api,
  granted,
  onCreated,
}: {
  api: ApiClient
  granted: string[]
  onCreated: (token: CreatedToken) => void
}) {
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<ScopeName[]>(['fetch'])
  const [days, setDays] = useState('90')
  const [state, setState] = useState<RequestState<CreatedToken> | null>(null)
  const create = async (event: Event) => {
    event.preventDefault()
    setState({ status: 'loading' })
    const next = await runRequest(() =>
      api.post<CreatedToken>('/v1/users/me/tokens', {
        name,
        scopes,
        // Without a lifetime, the server uses 90 days, or less if the token of this session expires earlier.
        ...(days !== '90' && { expires_in_days: days === 'never' ? days : Number(days) }),
      }),
    )
    setState(next)
    if (next.status === 'loaded') onCreated(next.value)
  }
  return (
    <form class="stack" onSubmit={(event) => void create(event)}>
      <div class="field">
        <label for="token-name">Name</label>
        <input
          id="token-name"
          class="input"
          required
          maxLength={100}
          autocomplete="off"
          placeholder="nightly script"
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <span class="field__hint">A name to recognize it by.</span>
      </div>
      <ScopeChoice legend="Permissions" granted={granted} selected={scopes} onSelect={setScopes} />
      <div class="field">
        <label for="token-days">Expires after</label>
        <select id="token-days" class="select" value={days} onChange={(event) => setDays(event.currentTarget.value)}>
          <option value="7">7 days</option>
          <option value="30">30 days</option>
          <option value="90">90 days</option>
          <option value="365">1 year</option>
          <option value="never">never</option>
        </select>
      </div>
      {state?.status === 'failed' && <ErrorNotice error={state.error} />}
      <div class="row">
        <button class="button button--main" disabled={scopes.length === 0 || state?.status === 'loading'}>
          Create token
        </button>
        {scopes.length === 0 && <span class="soft small">Select at least one permission.</span>}
      </div>
    </form>
  )
}

function CreatedTokenView({
  created: { token, name, scopes },
  onClose,
}: {
  created: CreatedToken
  onClose: () => void
}) {
  const { origin } = window.location
  return (
    <>
      <div class="notice notice--warn">
        <p>
          Copy it now. You cannot see <strong>{name}</strong> again.
        </p>
      </div>
      <CodeBlock label="Token" text={token} />
      <h3>How to use it</h3>
      {scopes.includes('fetch') && (
        <CodeBlock
          label="Shell"
          text={`curl -s ${origin}/v1/fetch \\\n  -H 'Authorization: Bearer ${token}' \\\n  -H 'Content-Type: application/json' \\\n  -d '{"lat":39.7392,"lng":-104.9903,"fields":["county"]}'`}
        />
      )}
      <CodeBlock
        label="Agent (MCP)"
        text={JSON.stringify(
          {
            mcpServers: {
              fieldstone: { type: 'http', url: `${origin}/mcp`, headers: { Authorization: `Bearer ${token}` } },
            },
          },
          null,
          2,
        )}
      />
      <div class="row">
        <button type="button" class="button button--main" onClick={onClose}>
          I copied it
        </button>
      </div>
    </>
  )
}
