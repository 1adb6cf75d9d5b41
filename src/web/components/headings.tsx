import type { ComponentChildren } from 'preact'
import type { RequestState } from '../request.ts'
import { Loaded } from './notices.tsx'

/** The title of a page, an optional summary, and actions for the page as a whole. */
export function PageHeader({
  title,
  children,
  actions,
}: {
  title: string
  children?: ComponentChildren
  actions?: ComponentChildren
}) {
  return (
    <div class="page-head">
      <div>
        <h1>{title}</h1>
        {children && <p class="page-head__about">{children}</p>}
      </div>
      {actions && <div class="row">{actions}</div>}
    </div>
  )
}

type ListSectionProps<Item> = {
  label: string
  about: ComponentChildren
  /** The button that adds an item. */
  action?: ComponentChildren
  state: RequestState<readonly Item[]>
  retry: () => void
  lines: number
  empty?: ComponentChildren
  children: (items: readonly Item[]) => ComponentChildren
}

/** A list: what it is about, how to add to it, and its items or what stands in their place. */
export function ListSection<Item>({
  label,
  about,
  action,
  state,
  retry,
  lines,
  empty,
  children,
}: ListSectionProps<Item>) {
  return (
    <section class="stack" aria-label={label}>
      <div class="list-head">
        <p class="soft">{about}</p>
        {action}
      </div>
      <Loaded state={state} retry={retry} lines={lines}>
        {(items) => (items.length === 0 && empty !== undefined ? empty : children(items))}
      </Loaded>
    </section>
  )
}
