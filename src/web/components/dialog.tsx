import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Icon } from './icons.tsx'

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
