import type { ComponentChildren } from 'preact'
import type { RequestState } from '../request.ts'
import { Loaded } from './notices.tsx'

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
