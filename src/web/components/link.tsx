import type { ComponentChildren } from 'preact'
import type { Dashboard } from '../dashboard.ts'
import { Icon } from './icons.tsx'

type Props = {
  to: string
  dashboard: Dashboard
  children: ComponentChildren
  class?: string
  label?: string
  isCurrent?: boolean
}

/**
 * A link to a dashboard page. It is a real link, so it can open in another tab, but a plain click does not reload the
 * document.
 */
export function Link({ to, dashboard: { router }, children, class: className, label, isCurrent = false }: Props) {
  const follow = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    router.navigate(to)
  }
  return (
    <a href={to} class={className} aria-label={label} aria-current={isCurrent ? 'page' : undefined} onClick={follow}>
      {children}
    </a>
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
