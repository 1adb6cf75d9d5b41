import { useState } from 'preact/hooks'
import { Icon } from './icons.tsx'

/** Copies a text to the clipboard and confirms it. */
export function CopyButton({ text, children = 'Copy' }: { text: () => string; children?: string }) {
  const [message, setMessage] = useState<string | null>(null)
  const copy = () => {
    navigator.clipboard.writeText(text()).then(
      () => setMessage('Copied'),
      () => setMessage('Copying is blocked'),
    )
  }
  return (
    <button type="button" class="button button--small" onClick={copy} onBlur={() => setMessage(null)}>
      <Icon name={message === 'Copied' ? 'check' : 'copy'} />
      <span aria-live="polite">{message ?? children}</span>
    </button>
  )
}
