import type { ComponentChildren } from 'preact'

/** A placeholder for an empty list, with a hint on how to fill it. */
export function EmptyState({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="empty">
      <h2>{title}</h2>
      {children}
    </section>
  )
}
