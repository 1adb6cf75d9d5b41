import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { runRequest, type RequestError } from '../request.ts'
import { Icon } from './icons.tsx'
import { ErrorNotice } from './notices.tsx'

/**
 * A modal dialog, open while it is rendered. Its first field has the focus; when its content changes with the title,
 * the first button if there is no field. Escape and the Close button close it, and the focus returns to where it was.
 */
export function Dialog({
  title,
  onClose,
  children,
}: {
  title: string
  onClose: () => void
  children: ComponentChildren
}) {
  const element = useRef<HTMLDialogElement>(null)
  const openedTitle = useRef(title)
  useEffect(() => {
    const dialog = element.current!
    const opener = document.activeElement
    dialog.showModal()
    return () => {
      // A dialog that is removed while it is open takes the focus with it.
      dialog.close()
      focusOn(opener?.isConnected ? opener : document.querySelector('main'))
    }
  }, [])
  useEffect(() => {
    const body = element.current!.querySelector('.dialog__body')!
    const field = body.querySelector('input, select, textarea')
    focusOn(field ?? (title === openedTitle.current ? null : body.querySelector('button')))
  }, [title])
  return (
    <dialog ref={element} aria-label={title} onClose={onClose}>
      <div class="dialog__head">
        <h2>{title}</h2>
        <button type="button" class="icon-button" aria-label="Close" onClick={() => element.current?.close()}>
          <Icon name="close" />
        </button>
      </div>
      <div class="dialog__body">{children}</div>
    </dialog>
  )
}

function focusOn(target: Element | null): void {
  if (target instanceof HTMLElement) target.focus()
}

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
