/** Prints a title and rows in columns, as wide as they need to be. */
export function table(title: string, columns: string[], rows: (string | number)[][]): void {
  const lines = [columns, ...rows].map((row) => row.map(String))
  const widths = columns.map((_, i) => Math.max(...lines.map((line) => line[i]!.length)))
  console.log(`\n${title}`)
  for (const line of lines)
    console.log(
      `  ${line.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join('  ')}`,
    )
}

/** A line of the table at the end; a member is empty where there is nothing to say. */
export type Line = { what: string; ours: string; peer: string; ratio: string; promised: string }

/** Every figure that was told so far, in this process. */
export const messages: Line[] = []

/** A figure beside that of a peer in the same run, by how much it is better, and whether that is as much as promised. */
export function beside({
  what,
  ours,
  peer,
  ratio,
  promised,
}: {
  what: string
  ours: string
  peer: string
  ratio: number
  promised: number | null
}): void {
  const holds = promised === null || ratio >= promised
  messages.push({
    what,
    ours,
    peer,
    ratio: ratio.toFixed(2),
    promised: promised === null ? '' : `${promised}${holds ? '' : ' (missed)'}`,
  })
  console.log(
    `${promised === null ? '' : holds ? 'held    ' : 'MISSED  '}${what}: ${ours}, peer ${peer}, ratio ${ratio.toFixed(2)}${promised === null ? '' : ` (promised: ${promised})`}`,
  )
}

/** A figure beside the bound it is held to, and whether it keeps it. */
export function figure(what: string, is: string, holds: boolean, bound: string): void {
  messages.push({ what, ours: is, peer: '', ratio: '', promised: holds ? bound : `${bound} (missed)` })
  console.log(`${holds ? 'held  ' : 'MISSED'}  ${what}: ${is} (promised: ${bound})`)
}

/** Why a part is left out. */
export function skipped(what: string, why: string): void {
  messages.push({ what, ours: `skipped: ${why}`, peer: '', ratio: '', promised: '' })
  console.log(`skipped  ${what}: ${why}`)
}

/** The middle value and the one that a share of all stays below. */
export function quantile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!
}
