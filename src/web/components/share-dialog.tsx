import { useState } from 'preact/hooks'
import type { CreatedShare } from '../../auth/account-document.ts'
import type { ApiClient } from '../api-client.ts'
import { runRequest, type RequestState } from '../request.ts'
import { CodeBlock, Timestamp } from './text.tsx'
import { Dialog } from './dialogs.tsx'
import { ErrorNotice } from './notices.tsx'
import { Icon } from './icons.tsx'

/** What a link shows: a run, or the report of a query of /report. */
type Shareable = { run_id: string } | { report: string }

type Props = { api: ApiClient; content: Shareable; isSmall?: boolean }

/** A button that opens a dialog in which a read-only link is created. */
export function ShareButton({ api, content, isSmall = false }: Props) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button
        type="button"
        class={isSmall ? 'button button--small' : 'button'}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        <Icon name="link" />
        Share
      </button>
      {isOpen && <ShareDialog api={api} content={content} onClose={() => setOpen(false)} />}
    </>
  )
}

function ShareDialog({ api, content, onClose }: Props & { onClose: () => void }) {
  const [days, setDays] = useState('30')
  const [state, setState] = useState<RequestState<CreatedShare> | null>(null)
  const create = async (event: Event) => {
    event.preventDefault()
    setState({ status: 'loading' })
    setState(
      await runRequest(() =>
        api.post<CreatedShare>('/v1/users/me/shares', { ...content, expires_in_days: Number(days) }),
      ),
    )
  }
  if (state?.status === 'loaded')
    return (
      <Dialog title="Your link" onClose={onClose}>
        <CodeBlock label="Link" text={state.value.url} />
        <p>
          Copy it now. You cannot see it again. It works until <Timestamp at={state.value.expires_at} />, or until you
          revoke it on the <a href="/account/links">Account page</a>.
        </p>
      </Dialog>
    )
  return (
    <Dialog title="Share" onClose={onClose}>
      <form class="stack" onSubmit={(event) => void create(event)}>
        <p>
          {'run_id' in content
            ? 'Everyone who has the link can read this run and download its files.'
            : 'Everyone who has the link can read the report of this place as it is now.'}{' '}
          They need no account, and they can read nothing else.
        </p>
        <div class="field">
          <label for="share-days">Expires after</label>
          <select id="share-days" class="select" value={days} onChange={(event) => setDays(event.currentTarget.value)}>
            <option value="1">1 day</option>
            <option value="7">7 days</option>
            <option value="30">30 days</option>
            <option value="365">1 year</option>
          </select>
          {'run_id' in content && <span class="field__hint">The link ends with the run at the latest.</span>}
        </div>
        {state?.status === 'failed' && <ErrorNotice error={state.error} />}
        <div class="row">
          <button class="button button--main" disabled={state?.status === 'loading'}>
            {state?.status === 'loading' ? 'Creating the link…' : 'Create link'}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
