import shapes from 'made:base-shapes.json' with { type: 'file' }

/** A county: its FIPS code, its name with its state, and its outline as SVG path data, empty in the territories. */
export type CountyShape = { fips: string; name: string; path: string }

/** Reads the outlines of the counties, in the order of their names. */
export async function readCounties(): Promise<CountyShape[]> {
  const response = await fetch(shapes)
  if (!response.ok) throw new Error(`${shapes} answered ${response.status}.`)
  const rows = (await response.json()) as [fips: string, name: string, path: string][]
  return rows.map(([fips, name, path]) => ({ fips, name, path }))
}
