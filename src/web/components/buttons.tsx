import type { ButtonHTMLAttributes, ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { PageProps } from '../dashboard.ts'
import { Icon, type IconName } from './icons.tsx'

const looks = {
  button: 'button',
  main: 'button button--main',
  bad: 'button button--bad',
  small: 'button button--small',
  'small main': 'button button--small button--main',
  'small bad': 'button button--bad button--small',
  chip: 'chip',
  icon: 'icon-button',
  plain: 'plain-button',
} as const

type ButtonProps = Omit<ButtonHTMLAttributes, 'onClick' | 'type' | 'class' | 'icon'> & {
  look?: keyof typeof looks
  icon?: IconName
  onClick: (event: MouseEvent) => unknown
}

/** A button that does something at once. It never submits a form. */
export function Button({ look = 'button', icon, onClick, children, ...attributes }: ButtonProps) {
  return (
    <button type="button" class={looks[look]} {...attributes} onClick={(event) => void onClick(event)}>
      {icon && <Icon name={icon} />}
      {children}
    </button>
  )
}

type ChoiceProps<T> = {
  label: string
  options: readonly (readonly [value: T, text: ComponentChildren, title?: string])[]
  selected: T
  onSelect: (value: T) => void
}

/** Toggle buttons, one of which is pressed. */
export function Choice<T extends string | number | null>({ label, options, selected, onSelect }: ChoiceProps<T>) {
  return (
    <div class="chips" role="group" aria-label={label}>
      {options.map(([value, text, title]) => (
        <Button key={value} look="chip" title={title} aria-pressed={value === selected} onClick={() => onSelect(value)}>
          {text}
        </Button>
      ))}
    </div>
  )
}

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
