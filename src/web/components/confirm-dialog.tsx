import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { RequestError } from '../request-error.ts'
import { runRequest } from '../request-state.ts'
import { Dialog } from './dialog.tsx'
import { ErrorNotice } from './error-notice.tsx'

type Props = {
  title: string
  yes: string
  no: string
  act: () => Promise<unknown>
  onDone: () => void
  onClose: () => void
  children: ComponentChildren
}

/**
 * Asks for confirmation before an action that cannot be undone. It closes on success and stays open with the error on
 * failure.
 */
export function ConfirmDialog({ title, yes, no, act, onDone, onClose, children }: Props) {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<RequestError | null>(null)
  const confirm = async () => {
    setBusy(true)
    const result = await runRequest(act)
    setBusy(false)
    if (result.status === 'failed') return setError(result.error)
    onDone()
    onClose()
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{children}</p>
      {error && <ErrorNotice error={error} />}
      <div class="row">
        <button type="button" class="button button--bad" disabled={isBusy} onClick={() => void confirm()}>
          {yes}
        </button>
        <button type="button" class="button" onClick={onClose}>
          {no}
        </button>
      </div>
    </Dialog>
  )
}
