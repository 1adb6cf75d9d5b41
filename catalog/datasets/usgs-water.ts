import type { Dataset } from '../../src/catalog/records.ts'

export const usgsWater: Record<string, Dataset> = {
  usgs_nhd_area: {
    service: 'usgs_nhd', title: 'National Hydrography Dataset, areas (large scale)', publisher: 'USGS',
    licence: 'US government work, public domain',
    source_url: 'https://www.usgs.gov/national-hydrography/national-hydrography-dataset',
    coverage: { regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'], note: 'Alaska partly' },
    vintage: '2023-12-27', vintage_note: 'Retired on 1 October 2023, files frozen at 2023-12-27',
    ttl_seconds: 2_592_000, shape: 'features', budget_ms: 12_000, needs_key: null,
    serve: [
      { driver: 'pack', file: 'usgs_nhd.gpkg', layer: 'NHDArea' },
      {
        driver: 'arcgis', endpoint: 'https://hydro.nationalmap.gov/arcgis/rest/services/nhd/MapServer/9',
        max_allowable_offset_degrees: 0.00005, geometry_precision: 6,
      },
    ],
    bulk: 'https://prd-tnm.s3.amazonaws.com/StagedProducts/Hydrography/NHD/State/GPKG/NHD_H_{State}_State_GPKG.zip',
    attributes: ['PERMANENT_IDENTIFIER', 'GNIS_NAME', 'FTYPE', 'FCODE', 'AREASQKM'],
  },
  usgs_nhd_waterbody: {
    service: 'usgs_nhd', title: 'National Hydrography Dataset, waterbodies (large scale)', publisher: 'USGS',
    licence: 'US government work, public domain',
    source_url: 'https://www.usgs.gov/national-hydrography/national-hydrography-dataset',
    coverage: { regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'], note: 'Alaska partly' },
    vintage: '2023-12-27', vintage_note: 'Retired on 1 October 2023, files frozen at 2023-12-27',
    ttl_seconds: 2_592_000, shape: 'features', budget_ms: 12_000, needs_key: null,
    serve: [
      { driver: 'pack', file: 'usgs_nhd.gpkg', layer: 'NHDWaterbody' },
      {
        driver: 'arcgis', endpoint: 'https://hydro.nationalmap.gov/arcgis/rest/services/nhd/MapServer/12', geometry_precision: 6,
      },
    ],
    bulk: 'https://prd-tnm.s3.amazonaws.com/StagedProducts/Hydrography/NHD/State/GPKG/NHD_H_{State}_State_GPKG.zip',
    attributes: ['PERMANENT_IDENTIFIER', 'GNIS_NAME', 'FTYPE', 'FCODE', 'AREASQKM', 'REACHCODE'],
  },
  usgs_nhd_flowline: {
    service: 'usgs_nhd', title: 'National Hydrography Dataset, flowlines (large scale)', publisher: 'USGS',
    licence: 'US government work, public domain',
    source_url: 'https://www.usgs.gov/national-hydrography/national-hydrography-dataset',
    coverage: { regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'], note: 'Alaska partly' },
    vintage: '2023-12-27', vintage_note: 'Retired on 1 October 2023, files frozen at 2023-12-27',
    ttl_seconds: 2_592_000, shape: 'features', budget_ms: 12_000, needs_key: null,
    serve: [
      { driver: 'pack', file: 'usgs_nhd.gpkg', layer: 'NHDFlowline' },
      {
        driver: 'arcgis', endpoint: 'https://hydro.nationalmap.gov/arcgis/rest/services/nhd/MapServer/6',
        max_allowable_offset_degrees: 0.00005, geometry_precision: 6,
      },
    ],
    bulk: 'https://prd-tnm.s3.amazonaws.com/StagedProducts/Hydrography/NHD/State/GPKG/NHD_H_{State}_State_GPKG.zip',
    attributes: ['permanent_identifier', 'gnis_id', 'gnis_name', 'ftype', 'fcode', 'lengthkm', 'reachcode'],
  },
  usgs_3dhp_waterbody: {
    service: 'usgs_3dhp', title: '3D Hydrography Program, waterbodies', publisher: 'USGS',
    licence: 'US government work, public domain',
    source_url: 'https://3dhp.nationalmap.gov/arcgis/rest/services/usgs_3dhp_all/MapServer',
    coverage: {
      regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'],
      note: 'coverage taken from NHD, whose content it carries; used only as a fallback',
    },
    vintage_note: 'Quarterly; elevation-derived only where finished',
    ttl_seconds: 2_592_000, shape: 'features', budget_ms: 12_000, needs_key: null,
    serve: [
      { driver: 'arcgis', endpoint: 'https://3dhp.nationalmap.gov/arcgis/rest/services/usgs_3dhp_all/MapServer/60' },
    ],
    bulk: null,
    attributes: ['id3dhp', 'gnisid', 'gnisidlabel', 'featuretype', 'featuretypelabel', 'areasqkm'],
  },
  usgs_3dhp_flowline: {
    service: 'usgs_3dhp', title: '3D Hydrography Program, flowlines', publisher: 'USGS',
    licence: 'US government work, public domain',
    source_url: 'https://3dhp.nationalmap.gov/arcgis/rest/services/usgs_3dhp_all/MapServer',
    coverage: {
      regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'],
      note: 'coverage taken from NHD, whose content it carries; used only as a fallback',
    },
    vintage_note: 'Quarterly; elevation-derived only where finished',
    ttl_seconds: 2_592_000, shape: 'features', budget_ms: 12_000, needs_key: null,
    serve: [
      { driver: 'arcgis', endpoint: 'https://3dhp.nationalmap.gov/arcgis/rest/services/usgs_3dhp_all/MapServer/50' },
    ],
    bulk: null,
    attributes: [
      'id3dhp', 'mainstemid', 'gnisid', 'gnisidlabel', 'featuretype', 'featuretypelabel', 'lengthkm', 'streamorder', 'levelpath',
    ],
  },
  usgs_nhdplus_hr: {
    service: 'usgs_nhdplus_hr', title: 'NHDPlus High Resolution, network flowlines', publisher: 'USGS',
    licence: 'US government work, public domain',
    source_url: 'https://www.usgs.gov/national-hydrography/nhdplus-high-resolution',
    coverage: { regions: ['conus', 'ak', 'hi', 'pr'], note: 'Alaska partly' },
    vintage_note: 'Release 2 of August 2025; the service holds data of October 2022',
    ttl_seconds: 2_592_000, shape: 'features', budget_ms: 12_000, needs_key: null,
    serve: [
      { driver: 'pack', file: 'usgs_nhdplus_hr.gpkg', layer: 'NetworkNHDFlowline' },
      {
        driver: 'arcgis', endpoint: 'https://hydro.nationalmap.gov/arcgis/rest/services/NHDPlus_HR/MapServer/3', where_on_server: false,
        note: 'spatial filter only; attribute filters time out on this service',
      },
    ],
    bulk: 'https://prd-tnm.s3.amazonaws.com/StagedProducts/Hydrography/NHDPlusHR/National/GDB/NHDPlus_H_National_Release_2_GDB_2025-08-19.zip',
    attributes: ['gnis_name', 'fcode', 'streamorde', 'totdasqkm', 'qama', 'minelevsmo', 'maxelevsmo', 'slope', 'nhdplusid'],
  },
  usgs_nldi: {
    service: 'usgs_nldi', title: 'Network Linked Data Index, position lookup', publisher: 'USGS',
    licence: 'US government work, public domain',
    source_url: 'https://api.water.usgs.gov/nldi/',
    coverage: { regions: ['conus'], note: null },
    vintage_note: null,
    ttl_seconds: 2_592_000, shape: 'document', budget_ms: 6_000, needs_key: null,
    serve: [
      {
        driver: 'rest', endpoint: 'https://api.water.usgs.gov/nldi/linked-data/comid/position?f=json&coords=POINT({lon} {lat})',
        expects: '$.features', absent: { statuses: [404], text: '^[^<{\\[]|^$' }, note: 'not found is 404, or 200 with an empty body or a text',
      },
    ],
    bulk: null,
    note: 'no pack form; an offline equivalent would be an NHDPlus v2 catchment GeoPackage',
  },
  usgs_wbd_huc8: {
    service: 'usgs_wbd', title: 'Watershed Boundary Dataset, subbasins (HUC8)', publisher: 'USGS and NRCS',
    licence: 'US government work, public domain',
    source_url: 'https://www.usgs.gov/national-hydrography/watershed-boundary-dataset',
    coverage: {
      regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'], note: 'national incl. Alaska, Hawaii, Puerto Rico and islands',
    },
    vintage_note: 'Frozen into the 3DHP programme',
    ttl_seconds: 2_592_000, shape: 'features', budget_ms: 8_000, needs_key: null,
    serve: [
      { driver: 'pack', file: 'usgs_wbd.gpkg', layer: 'WBDHU8', note: 'small pack' },
      { driver: 'arcgis', endpoint: 'https://hydro.nationalmap.gov/arcgis/rest/services/wbd/MapServer/4' },
    ],
    bulk: 'https://prd-tnm.s3.amazonaws.com/StagedProducts/Hydrography/WBD/National/GDB/WBD_National_GDB.zip',
    attributes: ['huc8', 'name', 'areasqkm', 'states'],
  },
  usgs_wbd_huc12: {
    service: 'usgs_wbd', title: 'Watershed Boundary Dataset, subwatersheds (HUC12)', publisher: 'USGS and NRCS',
    licence: 'US government work, public domain',
    source_url: 'https://www.usgs.gov/national-hydrography/watershed-boundary-dataset',
    coverage: {
      regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'], note: 'national incl. Alaska, Hawaii, Puerto Rico and islands',
    },
    vintage_note: 'Frozen into the 3DHP programme',
    ttl_seconds: 2_592_000, shape: 'features', budget_ms: 8_000, needs_key: null,
    serve: [
      { driver: 'pack', file: 'usgs_wbd.gpkg', layer: 'WBDHU12', note: 'small pack' },
      { driver: 'arcgis', endpoint: 'https://hydro.nationalmap.gov/arcgis/rest/services/wbd/MapServer/6' },
    ],
    bulk: 'https://prd-tnm.s3.amazonaws.com/StagedProducts/Hydrography/WBD/National/GDB/WBD_National_GDB.zip',
    attributes: ['huc12', 'name', 'areasqkm', 'states', 'tohuc'],
  },
  usgs_waterdata_discharge: {
    service: 'usgs_waterdata', title: 'USGS Water Data, latest continuous values: discharge', publisher: 'USGS',
    licence: 'US government work, public domain',
    source_url: 'https://api.waterdata.usgs.gov/',
    coverage: {
      regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'],
      note: 'national; regions from general knowledge, not in the source notes',
    },
    vintage_note: 'Live, usually 15 to 60 minutes old',
    ttl_seconds: 900, shape: 'features', budget_ms: 6_000,
    needs_key: { env: null, required: false, note: 'X-Api-Key optional, advised for a server: the anonymous quota is small' },
    serve: [
      {
        driver: 'ogc_features',
        endpoint: 'https://api.waterdata.usgs.gov/ogcapi/v0/collections/latest-continuous/items?bbox={w},{s},{e},{n}&parameter_code=00060,72019&limit=2000&f=json',
        where: "parameter_code = '00060'",
        newest: { of: 'monitoring_location_id', time: 'time', max_age_seconds: 604_800 },
        join: {
          endpoint: 'https://api.waterdata.usgs.gov/ogcapi/v0/collections/monitoring-locations/items/{monitoring_location_id}?f=json',
          json_path: '$.properties.monitoring_location_name', attribute: 'monitoring_location_name',
        },
        note: 'v1 is live beside v0 in the path',
      },
    ],
    bulk: null,
    distinct: 'monitoring_location_id',
  },
  usgs_waterdata_groundwater: {
    service: 'usgs_waterdata', title: 'USGS Water Data, latest continuous values: depth to water', publisher: 'USGS',
    licence: 'US government work, public domain',
    source_url: 'https://api.waterdata.usgs.gov/',
    coverage: {
      regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'],
      note: 'national; regions from general knowledge, not in the source notes',
    },
    vintage_note: 'Live, usually 15 to 60 minutes old',
    ttl_seconds: 3_600, shape: 'features', budget_ms: 6_000,
    needs_key: { env: null, required: false, note: 'X-Api-Key optional, advised for a server: the anonymous quota is small' },
    serve: [
      {
        driver: 'ogc_features',
        endpoint: 'https://api.waterdata.usgs.gov/ogcapi/v0/collections/latest-continuous/items?bbox={w},{s},{e},{n}&parameter_code=00060,72019&limit=2000&f=json',
        where: "parameter_code = '72019'",
        newest: { of: 'monitoring_location_id', time: 'time', max_age_seconds: 604_800 },
        note: 'v1 is live beside v0 in the path',
      },
    ],
    bulk: null,
    distinct: 'monitoring_location_id',
  },
  usgs_principal_aquifers: {
    service: 'usgs_principal_aquifers', title: 'Principal aquifers of the United States', publisher: 'USGS',
    licence: 'US government work, public domain',
    source_url: 'https://doi.org/10.5066/P9Y2HOUJ',
    coverage: { regions: ['conus', 'hi', 'pr', 'vi'], note: null },
    vintage_note: 'Static',
    ttl_seconds: 2_592_000, shape: 'features', budget_ms: 8_000, needs_key: null,
    serve: [
      { driver: 'pack', file: 'usgs_principal_aquifers.gpkg', layer: 'aquifers_us' },
      {
        driver: 'arcgis',
        endpoint: 'https://services1.arcgis.com/RQG3sksSXcoDoIfj/arcgis/rest/services/Principal_Aquifers_of_the_United_States/FeatureServer/0',
      },
    ],
    bulk: null,
    attributes: ['AQ_NAME', 'AQ_CODE', 'ROCK_NAME', 'ROCK_TYPE'],
  },
}
