import { useState } from 'preact/hooks'
import type { PageProps } from '../dashboard.ts'
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

const unitLabels = { us: 'US units', metric: 'Metric units' } as const

/** A button that switches between US and metric units. */
export function UnitSwitch({ dashboard: { units } }: PageProps) {
  const current = units.system.value
  const next = current === 'us' ? 'metric' : 'us'
  return (
    <button
      type="button"
      class="chip"
      aria-label={`${unitLabels[current]} first. Change to ${unitLabels[next].toLowerCase()}.`}
      onClick={() => units.choose(next)}
    >
      {unitLabels[current]}
    </button>
  )
}
