import type { Dataset } from '../../src/catalog/records.ts'

export const usfws: Record<string, Dataset> = {
  usfws_nwi: {
    service: 'usfws_nwi', title: 'National Wetlands Inventory', publisher: 'US Fish and Wildlife Service',
    licence: 'US government work, public domain',
    source_url: 'https://www.fws.gov/program/national-wetlands-inventory',
    coverage: {
      regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'], note: 'most of Alaska; unmapped areas look like areas without wetlands',
    },
    vintage_note: 'Published in May and October',
    ttl_seconds: 2_592_000, shape: 'features', budget_ms: 15_000, needs_key: null,
    serve: [
      { driver: 'pack', file: 'usfws_nwi.gpkg', layer: 'Wetlands' },
      {
        driver: 'arcgis', endpoint: 'https://fwspublicservices.wim.usgs.gov/wetlandsmapservice/rest/services/Wetlands/MapServer/0',
        out_fields: '*', geometry_precision: 6,
      },
      {
        driver: 'arcgis', endpoint: 'https://fwsprimary.wim.usgs.gov/server/rest/services/Wetlands/MapServer/0', out_fields: '*',
        geometry_precision: 6,
      },
    ],
    bulk: 'https://documentst.ecosphere.fws.gov/wetlands/data/State-Downloads/{ST}_geodatabase_wetlands.zip',
    fetch_radius_m: 500,
  },
  usfws_cbrs: {
    service: 'usfws_cbrs', title: 'Coastal Barrier Resources System units', publisher: 'US Fish and Wildlife Service',
    licence: 'US government work, public domain',
    source_url: 'https://www.fws.gov/program/coastal-barrier-resources-act',
    coverage: {
      regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'],
      note: 'units exist on the Atlantic, Gulf and Great Lakes coasts, Puerto Rico and the US Virgin Islands; none elsewhere by law; regions from general knowledge, not in the source notes',
    },
    vintage_note: null,
    ttl_seconds: 604_800, shape: 'features', budget_ms: 8_000, needs_key: null,
    serve: [
      { driver: 'pack', file: 'usfws_cbrs.gpkg', layer: 'CBRS_Polygons' },
      { driver: 'arcgis', endpoint: 'https://gis1.wim.usgs.gov/server/rest/services/CBRSMapper/CoastalBarrierResourcesSystem/MapServer/3' },
    ],
    bulk: null,
    attributes: ['Unit', 'Name', 'Unit_Type'],
  },
  usfws_critical_habitat_areas: {
    service: 'usfws_critical_habitat', title: 'Critical habitat, final and proposed polygons', publisher: 'US Fish and Wildlife Service',
    licence: 'US government work, public domain',
    source_url: 'https://ecos.fws.gov/ecp/report/critical-habitat',
    coverage: {
      regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'],
      note: 'US and territories; marine species of NMFS are elsewhere; regions from general knowledge, not in the source notes',
    },
    vintage_note: null,
    ttl_seconds: 604_800, shape: 'features', budget_ms: 12_000, needs_key: null,
    serve: [
      { driver: 'pack', file: 'usfws_critical_habitat.gpkg', layers: ['final_polygons', 'proposed_polygons'] },
      {
        driver: 'arcgis',
        endpoint: 'https://services.arcgis.com/QVENGdaPbd4LUkLV/ArcGIS/rest/services/USFWS_Critical_Habitat/FeatureServer', layers: [0, 2],
      },
    ],
    bulk: 'https://ecos.fws.gov/docs/crithab/crithab_all/crithab_all_layers.zip',
  },
  usfws_critical_habitat_final: {
    service: 'usfws_critical_habitat', title: 'Critical habitat, final polygons and lines', publisher: 'US Fish and Wildlife Service',
    licence: 'US government work, public domain',
    source_url: 'https://ecos.fws.gov/ecp/report/critical-habitat',
    coverage: {
      regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'],
      note: 'US and territories; marine species of NMFS are elsewhere; regions from general knowledge, not in the source notes',
    },
    vintage_note: null,
    ttl_seconds: 604_800, shape: 'features', budget_ms: 12_000, needs_key: null,
    serve: [
      { driver: 'pack', file: 'usfws_critical_habitat.gpkg', layers: ['final_polygons', 'final_lines'] },
      {
        driver: 'arcgis',
        endpoint: 'https://services.arcgis.com/QVENGdaPbd4LUkLV/ArcGIS/rest/services/USFWS_Critical_Habitat/FeatureServer', layers: [0, 1],
      },
    ],
    bulk: 'https://ecos.fws.gov/docs/crithab/crithab_all/crithab_all_layers.zip',
  },
  usfws_ipac: {
    service: 'usfws_ipac', title: 'IPaC resource list', publisher: 'US Fish and Wildlife Service',
    licence: 'US government work, public domain',
    source_url: 'https://ipac.ecosphere.fws.gov/',
    coverage: {
      regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'],
      note: 'US and territories; regions from general knowledge, not in the source notes',
    },
    vintage_note: 'Live',
    ttl_seconds: 604_800, shape: 'document', budget_ms: 20_000, needs_key: null,
    serve: [
      {
        driver: 'rest', endpoint: 'https://ipac.ecosphere.fws.gov/location/api/resources', method: 'POST',
        body: {
          'location.footprint': '{footprint}', timeout: 5, apiVersion: '1.0.0', includeOtherFwsResources: true,
          includeCrithabGeometry: false,
        },
        expects: '$.resources',
        note: 'footprint: a 100 m square round the point, a GeoJSON polygon as text',
      },
    ],
    bulk: null,
  },
}
