import { useState } from 'preact/hooks'
import type { Api } from '../api.ts'
import { asked, type Asked } from '../asked.ts'
import { Code } from '../parts/code.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Fault } from '../parts/fault.tsx'
import { ScopeChoice } from './scope-choice.tsx'
import type { ScopeName } from './scope-words.ts'
import type { Token } from './token.ts'

type Made = Token & { token: string }
type Props = { api: Api; granted: string[]; onMade: () => void; onClose: () => void }

/** Makes a token, and shows it this once, with what it is used for. */
export function NewToken({ api, granted, onMade, onClose }: Props) {
  const [made, setMade] = useState<Made | null>(null)
  const done = (token: Made) => {
    setMade(token)
    onMade()
  }
  return (
    <Dialog title={made ? 'Your token' : 'New token'} onClose={onClose}>
      {made ? <Shown made={made} onClose={onClose} /> : <Form api={api} granted={granted} onMade={done} />}
    </Dialog>
  )
}

function Form({ api, granted, onMade }: { api: Api; granted: string[]; onMade: (token: Made) => void }) {
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<ScopeName[]>(['fetch'])
  const [days, setDays] = useState('90')
  const [answer, setAnswer] = useState<Asked<Made> | null>(null)
  const make = async (event: Event) => {
    event.preventDefault()
    setAnswer({ state: 'waiting' })
    const it = await asked(() =>
      api.post<Made>('/v1/users/me/tokens', { name, scopes, expires_in_days: days === 'never' ? days : Number(days) }),
    )
    setAnswer(it)
    if (it.state === 'here') onMade(it.value)
  }
  return (
    <form class="stack" onSubmit={(event) => void make(event)}>
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
        <span class="field__hint">What you will know it by.</span>
      </div>
      <ScopeChoice legend="What it may do" granted={granted} chosen={scopes} onChoose={setScopes} />
      <div class="field">
        <label for="token-days">Lasts</label>
        <select id="token-days" class="select" value={days} onChange={(event) => setDays(event.currentTarget.value)}>
          <option value="7">7 days</option>
          <option value="30">30 days</option>
          <option value="90">90 days</option>
          <option value="365">a year</option>
          <option value="never">for ever</option>
        </select>
      </div>
      {answer?.state === 'failed' && <Fault fault={answer.fault} />}
      <div class="row">
        <button class="button button--main" disabled={scopes.length === 0 || answer?.state === 'waiting'}>
          Make it
        </button>
        {scopes.length === 0 && <span class="soft small">Tick at least one thing that it may do.</span>}
      </div>
    </form>
  )
}

function Shown({ made: { token, name, scopes }, onClose }: { made: Made; onClose: () => void }) {
  const { origin } = window.location
  return (
    <>
      <div class="notice notice--warn">
        <p>
          Copy it now: <strong>{name}</strong> is not shown again.
        </p>
      </div>
      <Code label="Token" text={token} />
      <h3>What to do with it</h3>
      {scopes.includes('fetch') && (
        <Code
          label="In a shell"
          text={`curl -s ${origin}/v1/fetch \\\n  -H 'Authorization: Bearer ${token}' \\\n  -H 'Content-Type: application/json' \\\n  -d '{"lat":39.7392,"lng":-104.9903,"fields":["county"]}'`}
        />
      )}
      <Code
        label="In an agent (MCP)"
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
          I have copied it
        </button>
      </div>
    </>
  )
}
