import type { Draft } from './draft.ts'

/** A preview of the first rows, with the use of each column. */
export function DraftTable({ draft: { header, columns, preview } }: { draft: Draft }) {
  if (header.length === 0) return null
  return (
    <div class="table-frame" tabIndex={0} role="region" aria-label="First rows of the file">
      <table class="table runs-first">
        <thead>
          <tr>
            {header.map((name, i) => (
              <th key={i} scope="col" class={columnUse(i, columns) ? 'runs-first__used' : undefined}>
                {name}
                <span class="runs-first__use">{columnUse(i, columns) ?? (columns ? 'copied' : 'unknown')}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {preview.map((cells, k) => (
            <tr key={k}>
              {header.map((_, i) => (
                <td key={i}>{cells[i] ?? ''}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Returns what a column is used for; null when it is not used. */
function columnUse(i: number, columns: Draft['columns']): string | null {
  if (!columns) return null
  if (columns.input === i) return 'address or coordinate'
  if (columns.input >= 0) return null
  if (columns.lat === i) return 'latitude'
  if (columns.lng === i) return 'longitude'
  if (columns.location === i) return 'coordinate'
  const part = columns.address.indexOf(i)
  if (part < 0) return null
  return columns.lat >= 0 || columns.location >= 0
    ? 'address, used when there is no coordinate'
    : columns.address.length === 1
      ? 'address'
      : `address, part ${part + 1}`
}
