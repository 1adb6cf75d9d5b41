import type { ComponentChildren } from 'preact'
import type { Dashboard } from '../dashboard.ts'

type Props = {
  to: string
  dashboard: Dashboard
  children: ComponentChildren
  class?: string
  label?: string
  isHere?: boolean
}

/** A link to a page of the dashboard: a real address, so that it opens in another tab too, and without loading anew in this one. */
export function Link({ to, dashboard: { address }, children, class: look, label, isHere = false }: Props) {
  const follow = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    address.go(to)
  }
  return (
    <a href={to} class={look} aria-label={label} aria-current={isHere ? 'page' : undefined} onClick={follow}>
      {children}
    </a>
  )
}
