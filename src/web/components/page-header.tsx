import type { ComponentChildren } from 'preact'

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
