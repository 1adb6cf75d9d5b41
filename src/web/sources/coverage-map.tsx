import type { CountyShape } from './county-shapes.ts'

/** The shades of the map, by the share of all fields that local data answers. */
export const coverageLevels = ['under 20 %', '20–40 %', '40–60 %', '60–80 %', '80–100 %'] as const

/** The shade of a county. */
export function coverageLevelOf(fields: number, total: number): number {
  return Math.min(coverageLevels.length - 1, Math.floor((fields / total) * coverageLevels.length))
}

type Props = {
  counties: readonly CountyShape[]
  fieldsIn: (fips: string) => number
  total: number
  selected: string | null
  onSelect: (fips: string) => void
}

/** The counties of the 50 states, shaded by coverage. A click selects a county. */
export function CoverageMap({ counties, fieldsIn, total, selected, onSelect }: Props) {
  const outline = counties.find(({ fips }) => fips === selected)
  return (
    <svg
      class="coverage-map"
      viewBox="0 0 3900 2440"
      role="img"
      aria-label="Map of the counties, shaded by the number of fields that local data answers. The table below has the same numbers."
      onClick={({ target }) => {
        const fips = target instanceof SVGPathElement ? target.dataset.fips : undefined
        if (fips !== undefined) onSelect(fips)
      }}
    >
      {counties.map(({ fips, name, path }) => (
        <path key={fips} d={path} data-fips={fips} class={`coverage-${coverageLevelOf(fieldsIn(fips), total)}`}>
          <title>{`${name}: ${fieldsIn(fips)} of ${total} fields`}</title>
        </path>
      ))}
      {outline && <path d={outline.path} class="coverage-selected" />}
    </svg>
  )
}
