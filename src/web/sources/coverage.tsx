import { useEffect, useState } from 'preact/hooks'
import type { CountyCoverage, CoverageDocument } from '../../catalog/meta-documents.ts'
import { humanizeName } from '../../catalog/field-title.ts'
import { Loaded } from '../components/notices.tsx'
import { PageHeader } from '../components/headings.tsx'
import { DataTable } from '../components/data-table.tsx'
import type { PageProps } from '../dashboard.ts'
import { useRequest } from '../use-request.ts'
import { MissingData } from './missing-data.tsx'
import { readCounties, type CountyShape } from './county-shapes.ts'

/** The coverage page: what local data answers in each county, as a map and a table, and how to get the rest. */
export function CoveragePage({ dashboard }: PageProps) {
  const { api, router } = dashboard
  const [loaded, reload] = useRequest(async (signal) => {
    const [coverage, counties] = await Promise.all([
      api.get<CoverageDocument>('/v1/meta/coverage', signal),
      readCounties(),
    ])
    return { coverage, counties }
  }, [])
  const selected = router.location.value.query.get('county')
  return (
    <div class="stack coverage">
      <PageHeader title="Coverage">
        How many fields this server answers in each county without a network: from built-in layers and packs. Choose a
        county to see what is missing there, and how to get it.
      </PageHeader>
      <Loaded state={loaded} retry={reload} lines={8}>
        {({ coverage, counties }) => (
          <CoverageOfCounties
            dashboard={dashboard}
            coverage={coverage}
            counties={counties}
            reload={reload}
            selected={counties.find(({ fips }) => fips === selected) ?? null}
            onSelect={(fips) => router.replaceQuery({ county: fips })}
          />
        )}
      </Loaded>
    </div>
  )
}

type Props = PageProps & {
  coverage: CoverageDocument
  counties: readonly CountyShape[]
  selected: CountyShape | null
  onSelect: (fips: string | null) => void
  reload: () => void
}

function CoverageOfCounties({ dashboard, coverage, counties, selected, onSelect, reload }: Props) {
  const groupOf = new Map(coverage.groups.flatMap((group) => group.counties.map((fips) => [fips, group] as const)))
  const group = selected && groupOf.get(selected.fips)
  return (
    <>
      <CoverageMap
        counties={counties}
        fieldsIn={(fips) => groupOf.get(fips)?.fields ?? 0}
        total={coverage.fields}
        selected={selected?.fips ?? null}
        onSelect={onSelect}
      />
      <Legend {...coverage} />
      <CountySearch counties={counties} selected={selected} onSelect={onSelect} />
      {selected && group && (
        <p role="status">
          <strong>{selected.name}</strong>: {coverageText(group, coverage.fields)}
        </p>
      )}
      {selected && group && (
        <MissingData dashboard={dashboard} county={selected} completePresets={group.presets} onFetched={reload} />
      )}
      <CoverageTable coverage={coverage} counties={counties} />
    </>
  )
}

function coverageText({ fields, presets }: CountyCoverage, total: number): string {
  const complete =
    presets.length === 0 ? 'no preset is complete' : `complete presets: ${presets.map(humanizeName).join(', ')}`
  return `${fields} of ${total} fields; ${complete}.`
}

function Legend({ groups, fields: total }: CoverageDocument) {
  const present = new Set(groups.map(({ fields }) => coverageLevelOf(fields, total)))
  return (
    <ul class="coverage-legend">
      {coverageLevels.map((label, level) => (
        <li key={label} class={present.has(level) ? undefined : 'soft'}>
          <svg class="coverage-swatch" viewBox="0 0 1 1" aria-hidden="true">
            <rect class={`coverage-${level}`} width="1" height="1" />
          </svg>
          {label}
        </li>
      ))}
    </ul>
  )
}

/** An input that selects the county whose name it has. */
function CountySearch({ counties, selected, onSelect }: Omit<Props, 'coverage' | 'dashboard' | 'reload'>) {
  const [text, setText] = useState(selected?.name ?? '')
  useEffect(() => {
    if (selected && !isName(selected, text)) setText(selected.name)
  }, [selected])
  return (
    <label class="field coverage-search">
      <span>County</span>
      <input
        class="input"
        type="search"
        list="coverage-counties"
        placeholder="Boulder County, CO"
        value={text}
        onInput={({ currentTarget: { value } }) => {
          setText(value)
          const found = counties.find((county) => isName(county, value))
          if (found || value === '') onSelect(found?.fips ?? null)
        }}
      />
      <datalist id="coverage-counties">
        {counties.map(({ fips, name }) => (
          <option key={fips} value={name} />
        ))}
      </datalist>
    </label>
  )
}

function isName({ name }: CountyShape, text: string): boolean {
  return name.toLowerCase() === text.trim().toLowerCase()
}

const listedCounties = 6

/** The same as the map for people who do not see it. */
function CoverageTable({ coverage, counties }: Pick<Props, 'coverage' | 'counties'>) {
  const names = new Map(counties.map(({ fips, name }) => [fips, name]))
  return (
    <DataTable
      label="Local coverage by county"
      rows={coverage.groups}
      keyOf={(group) => group.counties[0]!}
      columns={[
        { heading: 'Fields', kind: 'number name', cell: ({ fields }) => fields },
        { heading: 'Complete presets', cell: ({ presets }) => presets.map(humanizeName).join(', ') || '—' },
        { heading: 'Counties', cell: (group) => countiesText(group.counties, names) },
      ]}
    />
  )
}

function countiesText(members: readonly string[], names: ReadonlyMap<string, string>): string {
  if (members.length > listedCounties) return `${members.length.toLocaleString('en-US')} counties`
  return members.map((fips) => names.get(fips) ?? fips).join('; ')
}

/** The shades of the map, by the share of all fields that local data answers. */
const coverageLevels = ['under 20 %', '20–40 %', '40–60 %', '60–80 %', '80–100 %'] as const

/** The shade of a county. */
function coverageLevelOf(fields: number, total: number): number {
  return Math.min(coverageLevels.length - 1, Math.floor((fields / total) * coverageLevels.length))
}

type CoverageMapProps = {
  counties: readonly CountyShape[]
  fieldsIn: (fips: string) => number
  total: number
  selected: string | null
  onSelect: (fips: string) => void
}

/** The counties of the 50 states, shaded by coverage. A click selects a county. */
function CoverageMap({ counties, fieldsIn, total, selected, onSelect }: CoverageMapProps) {
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
