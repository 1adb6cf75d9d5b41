import type { ComponentChildren } from 'preact'

/** The heading of a column. `number`: above numbers. `unseen`: only for screen readers. */
type Heading = string | { number: string } | { unseen: string }

type Props = { label: string; headings: readonly Heading[]; class?: string; children: ComponentChildren }

/** A table that scrolls sideways where it is too wide. The children are its rows. */
export function DataTable({ label, headings, class: className = '', children }: Props) {
  return (
    <div class={`table-frame ${className}`.trimEnd()} tabIndex={0} role="region" aria-label={label}>
      <table class="table">
        <thead>
          <tr>{headings.map(headingCell)}</tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  )
}

function headingCell(heading: Heading) {
  if (typeof heading === 'string')
    return (
      <th key={heading} scope="col">
        {heading}
      </th>
    )
  if ('number' in heading)
    return (
      <th key={heading.number} scope="col" class="number">
        {heading.number}
      </th>
    )
  return (
    <th key={heading.unseen} scope="col">
      <span class="unseen">{heading.unseen}</span>
    </th>
  )
}
