import type { Dataset } from '../src/catalog/records.ts'
import type { DriverConfig } from '../src/drivers/drivers.ts'
import type { Region } from '../src/model/place.ts'

/** The license of what agencies of the United States publish. */
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
        license: usGovernmentWork,
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

/** A kind of features of OpenStreetMap that Overpass lists: `tags` select them. */
export type OverpassLayer = Pick<Dataset, 'title' | 'budget_ms'> &
  Partial<Pick<Dataset, 'source_url' | 'attributes'>> & { tags: string; lifecycle_of?: string }

/** Datasets of features of OpenStreetMap: each is a pack with the dataset's name, and a query of Overpass. */
export function overpassDatasets(layers: Record<string, OverpassLayer>): Record<string, Dataset> {
  return Object.fromEntries(
    Object.entries(layers).map(([id, { title, source_url, budget_ms, attributes, ...selected }]) => [
      id,
      {
        service: 'osm_overpass',
        title: `OpenStreetMap ${title} through Overpass`,
        publisher: 'OpenStreetMap contributors',
        license: 'ODbL',
        attribution: '© OpenStreetMap contributors, ODbL',
        source_url: source_url ?? 'https://wiki.openstreetmap.org/',
        coverage: { regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'], note: 'world' },
        vintage_note: 'Live',
        confidence: { level: 'medium', reason: 'Mapped by volunteers; not complete everywhere.' },
        ttl_seconds: 2_592_000,
        shape: 'features',
        budget_ms,
        needs_key: null,
        serve: [
          { driver: 'pack', file: `${id}.gpkg` },
          {
            driver: 'overpass',
            endpoint: 'https://overpass-api.de/api/interpreter',
            ...selected,
            note: 'used only if the operator sets FIELDSTONE_OVERPASS to an Overpass instance; no other instance is used',
          },
        ],
        bulk: 'Geofabrik us-latest.osm.pbf',
        ...(attributes && { attributes }),
      } satisfies Dataset,
    ]),
  )
}

const assessment = 'https://api.water.usgs.gov/nwaa-data/data'
const optionalKey = {
  env: null,
  required: false,
  note: 'X-Api-Key is optional; set it on a server, because the anonymous quota is small',
}

type UsgsWater = Pick<Dataset, 'title' | 'source_url' | 'vintage_note' | 'ttl_seconds' | 'shape' | 'serve' | 'coverage'>

/** A dataset of the water services of the USGS. */
export function usgsWaterData(service: string, { serve, ...own }: UsgsWater & Partial<Dataset>): Dataset {
  return {
    service,
    publisher: 'USGS',
    license: usGovernmentWork,
    budget_ms: 8_000,
    needs_key: optionalKey,
    bulk: null,
    ...own,
    serve,
  }
}

/** A table of the water availability assessment with a file for each subwatershed. */
export function ofSubwatershed(query: string): Dataset['serve'] {
  const asset = `${assessment}?${query}&location=huc12:{huc12_code}&format=csv`
  return [{ driver: 'table', asset, key_columns: ['huc12_id'], key_digits: 12 }]
}
