import { useState } from 'preact/hooks'
import type { CreatedShare } from '../../auth/account-document.ts'
import type { ApiClient } from '../api-client.ts'
import { useAction } from '../use-request.ts'
import { Button } from './buttons.tsx'
import { FormDialog } from './dialogs.tsx'
import { Select } from './inputs.tsx'
import { CodeBlock, Timestamp } from './text.tsx'

/** What a link shows: a run, or the report of a query of /report. */
type Shareable = { run_id: string } | { report: string }

type Props = { api: ApiClient; content: Shareable; isSmall?: boolean }

/** A button that opens a dialog in which a read-only link is created. */
export function ShareButton({ api, content, isSmall = false }: Props) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button look={isSmall ? 'small' : 'button'} icon="link" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        Share
      </Button>
      {isOpen && <ShareDialog api={api} content={content} onClose={() => setOpen(false)} />}
    </>
  )
}

const lifetimes = [
  ['1', '1 day'],
  ['7', '7 days'],
  ['30', '30 days'],
  ['365', '1 year'],
] as const

function ShareDialog({ api, content, onClose }: Props & { onClose: () => void }) {
  const [days, setDays] = useState('30')
  const create = useAction(() =>
    api.post<CreatedShare>('/v1/users/me/shares', { ...content, expires_in_days: Number(days) }),
  )
  const isRun = 'run_id' in content
  return (
    <FormDialog
      title="Share"
      submit={create.isBusy ? 'Creating the link…' : 'Create link'}
      action={create}
      result={create.value && { title: 'Your link', content: <CreatedLink share={create.value} /> }}
      onClose={onClose}
    >
      <p>
        {isRun
          ? 'Everyone who has the link can read this run and download its files.'
          : 'Everyone who has the link can read the report of this place as it is now.'}{' '}
        They need no account, and they can read nothing else.
      </p>
      <Select label="Expires after" options={lifetimes} selected={days} onSelect={setDays} />
      {isRun && <p class="soft small">The link ends with the run at the latest.</p>}
    </FormDialog>
  )
}

function CreatedLink({ share: { url, expires_at } }: { share: CreatedShare }) {
  return (
    <>
      <CodeBlock label="Link" text={url} />
      <p>
        Copy it now. You cannot see it again. It works until <Timestamp at={expires_at} />, or until you revoke it on
        the <a href="/account/links">Account page</a>.
      </p>
    </>
  )
}
