import type { ComponentChildren } from 'preact'

/** Where there is nothing yet: what would be here, and how to get it. */
export function EmptyState({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="empty">
      <h2>{title}</h2>
      {children}
    </section>
  )
}
