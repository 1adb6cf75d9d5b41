import type { Dataset } from '../../src/catalog/records.ts'

export const fema: Record<string, Dataset> = {
  fema_nfhl_zones: {
    service: 'fema_nfhl', title: 'National Flood Hazard Layer, flood hazard zones', publisher: 'FEMA',
    licence: 'US government work, public domain',
    source_url: 'https://www.fema.gov/flood-maps/national-flood-hazard-layer',
    coverage: {
      regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'],
      note: 'about 90 % of the population; Alaska and the rural West thin, islands partly; no polygon means not mapped',
    },
    vintage_note: 'Updated continuously',
    ttl_seconds: 604_800, shape: 'features', budget_ms: 10_000, needs_key: null,
    serve: [
      { driver: 'pack', file: 'fema_nfhl.gpkg', layer: 'S_FLD_HAZ_AR' },
      {
        driver: 'arcgis', endpoint: 'https://hazards.fema.gov/arcgis/rest/services/public/NFHL/MapServer/28',
        max_allowable_offset_degrees: 0.00005, geometry_precision: 6,
      },
    ],
    bulk: 'https://hazards.fema.gov/nfhlv2/output/State/NFHL_{FIPS}_{YYYYMMDD}.zip',
    attributes: [
      'DFIRM_ID', 'FLD_AR_ID', 'STUDY_TYP', 'FLD_ZONE', 'ZONE_SUBTY', 'SFHA_TF', 'STATIC_BFE', 'V_DATUM', 'DEPTH', 'LEN_UNIT', 'VELOCITY',
      'DUAL_ZONE', 'SOURCE_CIT',
    ],
  },
  fema_nfhl_availability: {
    service: 'fema_nfhl', title: 'National Flood Hazard Layer, availability', publisher: 'FEMA',
    licence: 'US government work, public domain',
    source_url: 'https://www.fema.gov/flood-maps/national-flood-hazard-layer',
    coverage: { regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'], note: 'no polygon means that no digital map exists' },
    vintage_note: 'Updated continuously',
    ttl_seconds: 604_800, shape: 'features', budget_ms: 10_000, needs_key: null,
    serve: [
      {
        driver: 'pack', file: 'fema_nfhl.gpkg', layer: 'S_FIRM_PAN',
        note: 'only the panels whose PANEL_TYP says that a map exists: which values say so is an open point',
      },
      { driver: 'arcgis', endpoint: 'https://hazards.fema.gov/arcgis/rest/services/public/NFHL/MapServer/0' },
    ],
    bulk: 'https://hazards.fema.gov/nfhlv2/output/State/NFHL_{FIPS}_{YYYYMMDD}.zip',
    attributes: ['STUDY_ID'],
  },
  fema_nfhl_panels: {
    service: 'fema_nfhl', title: 'National Flood Hazard Layer, FIRM panels', publisher: 'FEMA',
    licence: 'US government work, public domain',
    source_url: 'https://www.fema.gov/flood-maps/national-flood-hazard-layer',
    coverage: {
      regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'],
      note: 'about 90 % of the population; Alaska and the rural West thin, islands partly; no polygon means not mapped',
    },
    vintage_note: 'Updated continuously',
    ttl_seconds: 604_800, shape: 'features', budget_ms: 10_000, needs_key: null,
    serve: [
      { driver: 'pack', file: 'fema_nfhl.gpkg', layer: 'S_FIRM_PAN' },
      { driver: 'arcgis', endpoint: 'https://hazards.fema.gov/arcgis/rest/services/public/NFHL/MapServer/3' },
    ],
    bulk: 'https://hazards.fema.gov/nfhlv2/output/State/NFHL_{FIPS}_{YYYYMMDD}.zip',
    attributes: ['FIRM_PAN', 'DFIRM_ID', 'EFF_DATE', 'PANEL_TYP'],
  },
  fema_nfhl_communities: {
    service: 'fema_nfhl', title: 'National Flood Hazard Layer, political jurisdictions', publisher: 'FEMA',
    licence: 'US government work, public domain',
    source_url: 'https://www.fema.gov/flood-maps/national-flood-hazard-layer',
    coverage: {
      regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'],
      note: 'about 90 % of the population; Alaska and the rural West thin, islands partly; no polygon means not mapped',
    },
    vintage_note: 'Updated continuously',
    ttl_seconds: 604_800, shape: 'features', budget_ms: 10_000, needs_key: null,
    serve: [
      { driver: 'pack', file: 'fema_nfhl.gpkg', layer: 'S_POL_AR' },
      { driver: 'arcgis', endpoint: 'https://hazards.fema.gov/arcgis/rest/services/public/NFHL/MapServer/22', area: true },
    ],
    bulk: 'https://hazards.fema.gov/nfhlv2/output/State/NFHL_{FIPS}_{YYYYMMDD}.zip',
    attributes: ['POL_NAME1', 'CID', 'CO_FIPS', 'ST_FIPS', 'COMM_NO', 'ANI_TF'],
  },
  openfema_nfip_csb: {
    service: 'openfema_nfip_csb', title: 'NFIP community status book', publisher: 'FEMA',
    licence: 'US government work, public domain',
    source_url: 'https://www.fema.gov/openfema-data-page/nfip-community-status-book-v1',
    coverage: {
      regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'], note: 'regions from general knowledge, not in the source notes',
    },
    vintage_note: 'About daily',
    ttl_seconds: 604_800, shape: 'document', budget_ms: 8_000, needs_key: null,
    serve: [
      {
        driver: 'pack', file: 'openfema_nfip_csb.gpkg', layer: 'csb', under: ['NfipCommunityStatusBook'],
        note: 'from the parquet or csv of the same name',
      },
      {
        driver: 'rest',
        endpoint: "https://www.fema.gov/api/open/v1/NfipCommunityStatusBook?$filter=communityIdNumber eq '{nfip_community_id}'&$format=json",
        expects: '$.NfipCommunityStatusBook',
      },
    ],
    bulk: 'https://www.fema.gov/api/open/v1/NfipCommunityStatusBook.csv',
    key_field: 'nfip_community_id',
  },
  openfema_declarations: {
    service: 'openfema_declarations', title: 'OpenFEMA disaster declarations summaries v2', publisher: 'FEMA',
    licence: 'US government work, public domain',
    source_url: 'https://www.fema.gov/openfema-data-page/disaster-declarations-summaries-v2',
    coverage: {
      regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'], note: 'regions from general knowledge, not in the source notes',
    },
    vintage_note: 'Live',
    ttl_seconds: 86_400, shape: 'document', budget_ms: 8_000, needs_key: null,
    serve: [
      {
        driver: 'rest', endpoint: 'https://www.fema.gov/api/open/v2/DisasterDeclarationsSummaries',
        query: {
          $filter: "fipsStateCode eq '{ss}' and fipsCountyCode eq '{ccc}' and declarationDate gt '{today-10y}T00:00:00.000z'",
          $select: 'disasterNumber,incidentType,declarationDate', $top: 1000,
        },
        expects: '$.DisasterDeclarationsSummaries',
      },
    ],
    bulk: null,
    key_field: 'county_fips',
  },
  fema_nri_tracts: {
    service: 'fema_nri_tracts', title: 'National Risk Index, census tracts', publisher: 'FEMA',
    licence: 'Public domain, attribution and disclaimer text',
    attribution: 'National Risk Index, FEMA',
    source_url: 'https://www.fema.gov/about/openfema/data-sets/national-risk-index-data',
    coverage: { regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'], note: '50 states, DC, Puerto Rico and territories' },
    vintage: 'NRI v1.20', vintage_note: 'v1.20',
    ttl_seconds: 2_592_000, shape: 'features', budget_ms: 12_000, needs_key: null,
    serve: [
      { driver: 'pack', file: 'fema_nri_tracts.gpkg' },
      {
        driver: 'arcgis',
        endpoint: 'https://services.arcgis.com/XG15cJAlne2vxtgt/arcgis/rest/services/National_Risk_Index_Census_Tracts/FeatureServer/0',
      },
    ],
    bulk: 'NRI_Table_CensusTracts.zip or shapefile from hazards.fema.gov',
  },
  fema_usa_structures: {
    service: 'fema_usa_structures', title: 'USA Structures', publisher: 'FEMA and ORNL',
    licence: 'CC BY 4.0',
    attribution: 'USA Structures, FEMA and ORNL, CC BY 4.0',
    source_url: 'https://gis-fema.hub.arcgis.com/pages/usa-structures',
    coverage: {
      regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'],
      note: 'holes exist, some towns have no footprint; regions from general knowledge, not in the source notes',
    },
    vintage_note: 'Imagery of varying age',
    ttl_seconds: 2_592_000, shape: 'features', budget_ms: 30_000, needs_key: null,
    serve: [
      { driver: 'pack', file: 'fema_usa_structures.gpkg', layer: 'structures' },
      {
        driver: 'arcgis',
        endpoint: 'https://services2.arcgis.com/FiaPA4ga0iQKduv3/arcgis/rest/services/USA_Structures_View/FeatureServer/0',
      },
    ],
    bulk: 'per-state GDB zips from disasters.geoplatform.gov',
  },
}
