import type { Dataset } from '../src/catalog/records.ts'
import type { DriverConfig } from '../src/drivers/drivers.ts'
import type { Region } from '../src/model/place.ts'

/** The licence of what agencies of the United States publish. */
export const usGovernmentWork = 'US government work, public domain'

type ArcgisOption = Extract<DriverConfig, { driver: 'arcgis' }>
type Shared = Pick<Dataset, 'publisher'> & Partial<Omit<Dataset, 'serve' | 'coverage'>> & { regions: Region[] }
type LayerRow = Pick<Dataset, 'title' | 'source_url' | 'vintage_note'> &
  Partial<Omit<Dataset, 'serve' | 'coverage'>> & {
    /** The layer that answers online; a dataset without one is a pack only. */
    endpoint?: string
    arcgis?: Partial<Omit<ArcgisOption, 'driver' | 'endpoint'>>
    /** What the regions of the family do not say. */
    coverage_note?: string
    regions?: Region[]
  }

/** Datasets of features from one publisher: each is a pack with the dataset's name, and a layer of ArcGIS. */
export function featureLayers(shared: Shared, rows: Record<string, LayerRow>): Record<string, Dataset> {
  const { regions: usual, ...common } = shared
  return Object.fromEntries(
    Object.entries(rows).map(([id, { endpoint, arcgis, coverage_note = null, regions = usual, ...own }]) => [
      id,
      {
        service: id,
        licence: usGovernmentWork,
        ttl_seconds: 2_592_000,
        shape: 'features',
        budget_ms: endpoint === undefined ? 1_000 : 8_000,
        needs_key: null,
        bulk: null,
        coverage: { regions, note: coverage_note },
        ...common,
        ...own,
        serve: [
          { driver: 'pack', file: `${id}.gpkg` },
          ...(endpoint === undefined ? [] : [{ driver: 'arcgis' as const, endpoint, ...arcgis }]),
        ],
        ...(endpoint === undefined && { note: own.note ?? 'pack only' }),
      },
    ]),
  )
}
