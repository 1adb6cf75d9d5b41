import type { Dataset } from '../../src/catalog/records.ts'

const everywhere: Dataset['coverage'] = {
  regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'],
  note: 'world',
}
const overpassNote =
  'used only if the operator sets FIELDSTONE_OVERPASS to an Overpass instance; no other instance is used'
/** What the datasets from OpenStreetMap share. */
const fromOsm = {
  service: 'osm_overpass',
  publisher: 'OpenStreetMap contributors',
  license: 'ODbL',
  attribution: '© OpenStreetMap contributors, ODbL',
  coverage: everywhere,
  vintage_note: 'Live',
  ttl_seconds: 2_592_000,
  shape: 'features' as const,
  budget_ms: 25_000,
  needs_key: null,
  confidence: {
    level: 'medium' as const,
    reason: 'Mapped by volunteers; how much is mapped varies from town to town.',
  },
  bulk: 'Geofabrik us-latest.osm.pbf',
}

export const overture: Record<string, Dataset> = {
  overture_places: {
    service: 'overture_places',
    title: 'Places of Overture Maps',
    publisher: 'Overture Maps Foundation',
    license: 'CDLA-Permissive-2.0, some rows Apache-2.0 or CC0',
    attribution: 'Overture Maps Foundation, overturemaps.org',
    source_url: 'https://docs.overturemaps.org/guides/places/',
    coverage: everywhere,
    vintage_note: 'Monthly releases, of which two are kept for 60 days',
    confidence: { level: 'medium', reason: 'Compiled from several providers, with a confidence of its own.' },
    ttl_seconds: 2_592_000,
    shape: 'features',
    budget_ms: 1_000,
    needs_key: null,
    serve: [
      {
        driver: 'pack',
        file: 'overture_places.gpkg',
        layer: 'places',
        note: 'columns: name (names.primary), category (basic_category), taxonomy (the tokens of taxonomy.hierarchy, each with a slash before and after it, such as /food_and_drink/restaurant/), confidence and operating_status. Only places whose first address is in the US',
      },
    ],
    bulk: 's3://overturemaps-us-west-2/release/{release}/theme=places/type=place/; https://stac.overturemaps.org/catalog.json names the latest release',
    attributes: ['name', 'category', 'taxonomy', 'confidence', 'operating_status'],
    filter: "confidence >= 0.5 AND (operating_status IS NULL OR operating_status = 'open')",
    note: 'no query service; the release name changes every month, so no address of files is written here',
  },
  osm_places: {
    ...fromOsm,
    title: 'OpenStreetMap shops, services and lodging through Overpass',
    source_url: 'https://wiki.openstreetmap.org/wiki/Key:amenity',
    serve: [
      { driver: 'pack', file: 'osm_places.gpkg' },
      {
        driver: 'overpass',
        endpoint: 'https://overpass-api.de/api/interpreter',
        tags: 'nwr[~"^(amenity|shop|tourism|craft)$"~"^(bank|bar|pub|biergarten|brewery|cafe|fuel|supermarket|grocery|greengrocer|hotel|motel|hostel|guest_house|pharmacy|chemist|restaurant|fast_food|food_court|mall|department_store)$"]',
        note: overpassNote,
      },
    ],
    attributes: ['name', 'amenity', 'shop', 'tourism', 'craft'],
  },
  osm_all_places: {
    ...fromOsm,
    title: 'OpenStreetMap places of every kind through Overpass',
    source_url: 'https://wiki.openstreetmap.org/wiki/Key:amenity',
    serve: [
      { driver: 'pack', file: 'osm_all_places.gpkg' },
      {
        driver: 'overpass',
        endpoint: 'https://overpass-api.de/api/interpreter',
        tags: 'nwr[~"^(amenity|shop|tourism|leisure|office|craft|healthcare)$"~"."]["name"]',
        note: overpassNote,
      },
    ],
    attributes: ['name'],
  },
  osm_building_levels: {
    ...fromOsm,
    title: 'OpenStreetMap buildings with their number of floors through Overpass',
    source_url: 'https://wiki.openstreetmap.org/wiki/Key:building:levels',
    serve: [
      { driver: 'pack', file: 'osm_building_levels.gpkg' },
      {
        driver: 'overpass',
        endpoint: 'https://overpass-api.de/api/interpreter',
        tags: 'wr["building"]',
        note: overpassNote,
      },
    ],
    attributes: ['building', 'building:levels'],
  },
  osm_road_surfaces: {
    ...fromOsm,
    title: 'OpenStreetMap roads for vehicles and their surface through Overpass',
    source_url: 'https://wiki.openstreetmap.org/wiki/Key:surface',
    serve: [
      { driver: 'pack', file: 'osm_road_surfaces.gpkg' },
      {
        driver: 'overpass',
        endpoint: 'https://overpass-api.de/api/interpreter',
        tags: 'way["highway"~"^(motorway|trunk|primary|secondary|tertiary|unclassified|residential|living_street|service|track|road)(_link)?$"]',
        note: overpassNote,
      },
    ],
    attributes: ['highway', 'name', 'surface'],
  },
}
