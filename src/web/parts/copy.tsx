import { useState } from 'preact/hooks'
import { Icon } from './icons.tsx'

/** Puts a text on the clipboard, and says so. */
export function Copy({ text, children = 'Copy' }: { text: () => string; children?: string }) {
  const [said, setSaid] = useState<string | null>(null)
  const copy = () => {
    navigator.clipboard.writeText(text()).then(
      () => setSaid('Copied'),
      () => setSaid('Not allowed here'),
    )
  }
  return (
    <button type="button" class="button button--small" onClick={copy} onBlur={() => setSaid(null)}>
      <Icon name={said === 'Copied' ? 'check' : 'copy'} />
      <span aria-live="polite">{said ?? children}</span>
    </button>
  )
}
