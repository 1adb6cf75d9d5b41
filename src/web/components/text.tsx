import { Fragment, type ComponentChildren } from 'preact'
import { CopyButton } from './buttons.tsx'
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

const shortFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const longFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' })
const relativeFormat = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })
const relativeUnits = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const

/**
 * A timestamp in the locale and time zone of the browser. With `isRelative` it shows the time elapsed, and the full
 * time as a tooltip.
 */
export function Timestamp({ at, isRelative = false }: { at: string; isRelative?: boolean }) {
  const time = new Date(at)
  return (
    <time dateTime={at} title={longFormat.format(time)}>
      {isRelative ? relativeText(time) : shortFormat.format(time)}
    </time>
  )
}

function relativeText(time: Date): string {
  const elapsed_s = (Date.now() - time.getTime()) / 1000
  const unit = relativeUnits.find(([, seconds]) => Math.abs(elapsed_s) >= seconds)
  return unit ? relativeFormat.format(-Math.round(elapsed_s / unit[1]), unit[0]) : relativeFormat.format(0, 'second')
}

/** Shows a sentence of the service. Text between backquotes becomes code, and paths of guide pages become links. */
export function ReasonText({ text }: { text: string }) {
  return (
    <span>
      {text.split(/(`[^`]+`|\/guide\/[\w#/-]+)/).map((part, i) => {
        if (part.startsWith('`')) return <code key={i}>{part.slice(1, -1)}</code>
        return part.startsWith('/guide/') ? (
          <a key={i} href={part}>
            {part}
          </a>
        ) : (
          part
        )
      })}
    </span>
  )
}

/** A block of code with a copy button. */
export function CodeBlock({ text, label }: { text: string; label: string }) {
  return (
    <figure class="code">
      <figcaption>
        <span>{label}</span>
        <CopyButton text={() => text} />
      </figcaption>
      <pre tabIndex={0} aria-label={label}>
        <code>{text}</code>
      </pre>
    </figure>
  )
}

/** A link to a page of another site, in a new tab. */
export function ExternalLink({ href, children }: { href: string; children: ComponentChildren }) {
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {children} <Icon name="out" />
      <span class="unseen">(opens in a new tab)</span>
    </a>
  )
}

/** A name with what it says. Anything but a pair is left out. */
export type LabeledFact = readonly [label: string, text: ComponentChildren]

/** A list of names with what they say. */
export function Facts({
  facts,
  class: className = '',
}: {
  facts: readonly (LabeledFact | false | null | undefined | '')[]
  class?: string
}) {
  return (
    <dl class={`facts ${className}`.trimEnd()}>
      {facts.map(
        (fact) =>
          fact && (
            <Fragment key={fact[0]}>
              <dt>{fact[0]}</dt>
              <dd>{fact[1]}</dd>
            </Fragment>
          ),
      )}
    </dl>
  )
}
