/** Prints a title and rows in aligned columns. */
export function printTable(title: string, columns: string[], rows: (string | number)[][]): void {
  const lines = [columns, ...rows].map((row) => row.map(String))
  const widths = columns.map((_, i) => Math.max(...lines.map((line) => line[i]!.length)))
  console.log(`\n${title}`)
  for (const line of lines)
    console.log(
      `  ${line.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join('  ')}`,
    )
}

/** A row of the final table. Members that do not apply are empty. */
export type FigureRow = { what: string; ours: string; peer: string; ratio: string; promised: string }

/** All figures reported so far in this process. */
export const figureRows: FigureRow[] = []

/** Reports a figure next to that of a peer in the same run, and whether the ratio is as promised. */
export function reportWithPeer({
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
  figureRows.push({
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

/** Reports a figure, its bound, and whether it is within the bound. */
export function reportFigure(what: string, is: string, holds: boolean, bound: string): void {
  figureRows.push({ what, ours: is, peer: '', ratio: '', promised: holds ? bound : `${bound} (missed)` })
  console.log(`${holds ? 'held  ' : 'MISSED'}  ${what}: ${is} (promised: ${bound})`)
}

/** Reports why a part was skipped. */
export function reportSkipped(what: string, why: string): void {
  figureRows.push({ what, ours: `skipped: ${why}`, peer: '', ratio: '', promised: '' })
  console.log(`skipped  ${what}: ${why}`)
}

/** The Debian packages of each peer. */
const peerPackages = {
  GeoPandas: 'python3-geopandas and python3-rtree',
  PostGIS: 'postgresql, postgresql-15-postgis-3 and gdal-bin',
  rasterio: 'python3-rasterio',
}

/**
 * Returns what a peer answers. If it is missing or does not work, returns null and reports the reason and the Debian
 * packages that it needs.
 */
export async function answerOfPeer<T>(
  peer: keyof typeof peerPackages,
  what: string,
  answer: () => Promise<T>,
): Promise<T | null> {
  try {
    return await answer()
  } catch (error) {
    // The last line of what Python and PostgreSQL print names the reason.
    const [reason] = String(error).trimEnd().split('\n').slice(-1)
    reportSkipped(what, `${peer}, which needs Debian's ${peerPackages[peer]}, does not work here (${reason})`)
    return null
  }
}

/** Returns the value below which the share of all values lies; 0.5 is the median. */
export function quantile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!
}
