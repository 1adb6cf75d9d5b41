import { Icon, type IconName } from './icons.tsx'

export type StatusKind = 'ok' | 'absent' | 'failed' | 'busy'

const icons: Record<StatusKind, IconName> = { ok: 'check', absent: 'none', failed: 'warning', busy: 'refresh' }

/** A status as an icon, a color and a word. With `isQuiet` only screen readers get the word. */
export function StatusBadge({
  kind,
  word = kind,
  isQuiet = false,
}: {
  kind: StatusKind
  word?: string
  isQuiet?: boolean
}) {
  return (
    <span class={`status status--${kind}`} title={word}>
      <Icon name={icons[kind]} />
      <span class={isQuiet ? 'unseen' : undefined}>{word}</span>
    </span>
  )
}
