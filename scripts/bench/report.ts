/** Prints a title and rows in columns, as wide as they need to be. */
export function table(title: string, columns: string[], rows: (string | number)[][]): void {
  const lines = [columns, ...rows].map((row) => row.map(String))
  const widths = columns.map((_, i) => Math.max(...lines.map((line) => line[i]!.length)))
  console.log(`\n${title}`)
  for (const line of lines) console.log(`  ${line.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join('  ')}`)
}

/** A figure beside the bound it is held to, and whether it keeps it. */
export function figure(what: string, is: string, holds: boolean, bound: string): void {
  console.log(`${holds ? 'held  ' : 'MISSED'}  ${what}: ${is} (promised: ${bound})`)
}

/** Why a part is left out. */
export function skipped(what: string, why: string): void {
  console.log(`skipped  ${what}: ${why}`)
}

/** The middle value and the one that a share of all stays below. */
export function quantile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!
}
