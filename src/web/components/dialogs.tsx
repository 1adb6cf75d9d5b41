import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { useAction, type Action } from '../use-request.ts'
import { Button } from './buttons.tsx'
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
        <Button look="icon" icon="close" aria-label="Close" onClick={() => element.current?.close()} />
      </div>
      <div class="dialog__body">{children}</div>
    </dialog>
  )
}

function focusOn(target: Element | null): void {
  if (target instanceof HTMLElement) target.focus()
}

type ConfirmProps = {
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
export function ConfirmDialog({ title, yes, no, act, onDone, onClose, children }: ConfirmProps) {
  const { start, isBusy, error } = useAction(act, () => {
    onDone()
    onClose()
  })
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{children}</p>
      {error && <ErrorNotice error={error} />}
      <div class="row">
        <Button look="bad" disabled={isBusy} onClick={() => start()}>
          {yes}
        </Button>
        <Button onClick={onClose}>{no}</Button>
      </div>
    </Dialog>
  )
}

type FormProps = {
  title: string
  submit: string
  /** Whether the form is complete. */
  isReady?: boolean
  /** Beside the button that submits. */
  note?: ComponentChildren
  action: Pick<Action<unknown, []>, 'start' | 'isBusy' | 'error'>
  /** What takes the place of the form when it was submitted. */
  result?: { title: string; content: ComponentChildren } | null
  onClose: () => void
  children: ComponentChildren
}

/** A dialog with a form. It stays open with the error on failure, and shows the result on success. */
export function FormDialog(props: FormProps) {
  const { title, submit, isReady = true, note, action, result, onClose, children } = props
  const send = (event: Event) => {
    event.preventDefault()
    action.start()
  }
  return (
    <Dialog title={result?.title ?? title} onClose={onClose}>
      {result?.content ?? (
        <form class="stack" onSubmit={send}>
          {children}
          {action.error && <ErrorNotice error={action.error} />}
          <div class="row">
            <button class="button button--main" disabled={!isReady || action.isBusy}>
              {submit}
            </button>
            {note}
          </div>
        </form>
      )}
    </Dialog>
  )
}
