import type { Dataset } from '../../src/catalog/records.ts'

export const usfs: Record<string, Dataset> = {
  usfs_lcms_landcover: {
    service: 'usfs_lcms_landcover', title: 'LCMS annual land cover', publisher: 'USDA Forest Service',
    licence: 'US government work, public domain',
    source_url: 'https://data.fs.usda.gov/geodata/rastergateway/LCMS/index.php',
    coverage: {
      regions: ['conus'],
      note: 'service of the 48 states used; Alaska is a separate service, Hawaii, Puerto Rico and the US Virgin Islands announced',
    },
    vintage: 'v2025-11', vintage_note: 'v2025-11, years 1985-2025; newest year read from the service catalog once a day',
    ttl_seconds: 2_592_000, shape: 'raster', budget_ms: 20_000, needs_key: null,
    serve: [
      { driver: 'pack', file: 'usfs_lcms_landcover.tif' },
      {
        driver: 'imageserver',
        endpoint: 'https://imagery.geoplatform.gov/iipp/rest/services/Vegetation/USFS_EDW_LCMS_AnnualLandcover_CONUS/ImageServer',
        edition_attribute: 'year',
      },
    ],
    bulk: 'https://data.fs.usda.gov/geodata/rastergateway/LCMS/index.php',
  },
  usfs_lcms_landuse: {
    service: 'usfs_lcms_landuse', title: 'LCMS annual land use', publisher: 'USDA Forest Service',
    licence: 'US government work, public domain',
    source_url: 'https://data.fs.usda.gov/geodata/rastergateway/LCMS/index.php',
    coverage: {
      regions: ['conus'],
      note: 'service of the 48 states used; Alaska is a separate service, Hawaii, Puerto Rico and the US Virgin Islands announced',
    },
    vintage: 'v2025-11', vintage_note: 'v2025-11, years 1985-2025; newest year read from the service catalog once a day',
    ttl_seconds: 2_592_000, shape: 'raster', budget_ms: 20_000, needs_key: null,
    serve: [
      { driver: 'pack', file: 'usfs_lcms_landuse.tif' },
      {
        driver: 'imageserver',
        endpoint: 'https://imagery.geoplatform.gov/iipp/rest/services/Vegetation/USFS_EDW_LCMS_AnnualLanduse_CONUS/ImageServer',
        edition_attribute: 'year',
      },
    ],
    bulk: 'https://data.fs.usda.gov/geodata/rastergateway/LCMS/index.php',
    note: 'codes of v2024-10 and later; up to v2023-9 there was 4 Non-Forest Wetland, then 5 Other and 6 Rangeland or Pasture: such an edition must not be installed here',
  },
  usfs_lcms_change: {
    service: 'usfs_lcms_change', title: 'LCMS annual change', publisher: 'USDA Forest Service',
    licence: 'US government work, public domain',
    source_url: 'https://data.fs.usda.gov/geodata/rastergateway/LCMS/index.php',
    coverage: {
      regions: ['conus'],
      note: 'service of the 48 states used; Alaska is a separate service, Hawaii, Puerto Rico and the US Virgin Islands announced',
    },
    vintage: 'v2025-11', vintage_note: 'v2025-11, years 1985-2025; newest year read from the service catalog once a day',
    ttl_seconds: 2_592_000, shape: 'raster', budget_ms: 20_000, needs_key: null,
    serve: [
      { driver: 'pack', file: 'usfs_lcms_change.tif' },
      {
        driver: 'imageserver',
        endpoint: 'https://imagery.geoplatform.gov/iipp/rest/services/Vegetation/USFS_EDW_LCMS_AnnualChange_CONUS/ImageServer',
        edition_attribute: 'year',
      },
    ],
    bulk: 'https://data.fs.usda.gov/geodata/rastergateway/LCMS/index.php',
    note: 'codes of v2024-10 and later; up to v2023-9 they were 1 Stable, 2 Slow Loss, 3 Fast Loss, 4 Gain: such an edition must not be installed here',
  },
  usfs_lcms_recent_fast_loss: {
    service: 'usfs_lcms_recent_fast_loss', title: 'LCMS most recent year of fast loss', publisher: 'USDA Forest Service',
    licence: 'US government work, public domain',
    source_url: 'https://data.fs.usda.gov/geodata/rastergateway/LCMS/index.php',
    coverage: {
      regions: ['conus'],
      note: 'service of the 48 states used; Alaska is a separate service, Hawaii, Puerto Rico and the US Virgin Islands announced',
    },
    vintage: 'v2025-11', vintage_note: 'v2025-11',
    ttl_seconds: 2_592_000, shape: 'raster', budget_ms: 20_000, needs_key: null,
    serve: [
      { driver: 'pack', file: 'usfs_lcms_recent_fast_loss.tif' },
      {
        driver: 'imageserver',
        endpoint: 'https://imagery.geoplatform.gov/iipp/rest/services/Vegetation/USFS_EDW_LCMS_MostRecentYearFastLoss_CONUS/ImageServer',
      },
    ],
    bulk: 'https://data.fs.usda.gov/geodata/rastergateway/LCMS/index.php',
  },
  usfs_nlcd_tcc: {
    service: 'usfs_nlcd_tcc', title: 'NLCD Tree Canopy Cover', publisher: 'USDA Forest Service',
    licence: 'US government work, public domain',
    source_url: 'https://data.fs.usda.gov/geodata/rastergateway/treecanopycover/',
    coverage: { regions: ['conus'], note: 'service of the 48 states; not Hawaii, Puerto Rico or south-east Alaska' },
    vintage: 'v2025-6', vintage_note: 'v2025-6, years 1985-2025',
    ttl_seconds: 2_592_000, shape: 'raster', budget_ms: 20_000, needs_key: null,
    serve: [
      { driver: 'pack', file: 'usfs_nlcd_tcc.tif' },
      {
        driver: 'imageserver',
        endpoint: 'https://imagery.geoplatform.gov/iipp/rest/services/Vegetation/USFS_EDW_NLCD_TCC_CONUS/ImageServer',
        edition_attribute: 'endyear',
      },
    ],
    bulk: 'https://data.fs.usda.gov/geodata/rastergateway/treecanopycover/',
  },
  usfs_whp_2023: {
    service: 'usfs_whp_2023', title: 'Wildfire Hazard Potential 2023, classified', publisher: 'USDA Forest Service RMRS',
    licence: 'US government work, public domain',
    source_url: 'https://www.fs.usda.gov/rds/archive/catalog/RDS-2015-0047-4',
    coverage: { regions: ['conus', 'ak', 'hi'], note: null },
    vintage: '2023', vintage_note: 'Landscape of end 2020, static',
    ttl_seconds: 2_592_000, shape: 'raster', budget_ms: 20_000, needs_key: null,
    serve: [
      { driver: 'pack', file: 'usfs_whp_2023.tif' },
      {
        driver: 'imageserver',
        endpoint: 'https://imagery.geoplatform.gov/iipp/rest/services/Fire_Aviation/USFS_EDW_RMRS_WildfireHazardPotentialClassified/ImageServer',
      },
    ],
    bulk: 'https://www.fs.usda.gov/rds/archive/products/RDS-2015-0047-4/RDS-2015-0047-4_Data.zip',
  },
  usfs_wrc_burn_probability: {
    service: 'usfs_wrc_2024', title: 'Wildfire Risk to Communities, burn probability', publisher: 'USDA Forest Service RMRS',
    licence: 'US government work, public domain',
    source_url: 'https://www.fs.usda.gov/rds/archive/catalog/RDS-2020-0016-2',
    coverage: { regions: ['conus', 'ak', 'hi'], note: 'US; territories not stated' },
    vintage: '2nd edition (2024)', vintage_note: 'Second edition (2024)',
    ttl_seconds: 2_592_000, shape: 'raster', budget_ms: 20_000, needs_key: null,
    serve: [
      { driver: 'pack', file: 'usfs_wrc_burn_probability.tif', note: 'float32 in real units' },
      {
        driver: 'imageserver',
        endpoint: 'https://imagery.geoplatform.gov/iipp/rest/services/Fire_Aviation/USFS_EDW_RMRS_WRC_BurnProbability/ImageServer',
        scale: 0.0001, nodata: [65535],
      },
    ],
    bulk: 'https://www.fs.usda.gov/rds/archive/catalog/RDS-2020-0016-2',
  },
  usfs_wrc_whp: {
    service: 'usfs_wrc_2024', title: 'Wildfire Risk to Communities, wildfire hazard potential index', publisher: 'USDA Forest Service RMRS',
    licence: 'US government work, public domain',
    source_url: 'https://www.fs.usda.gov/rds/archive/catalog/RDS-2020-0016-2',
    coverage: { regions: ['conus', 'ak', 'hi'], note: 'US; territories not stated' },
    vintage: '2nd edition (2024)', vintage_note: 'Second edition (2024)',
    ttl_seconds: 2_592_000, shape: 'raster', budget_ms: 20_000, needs_key: null,
    serve: [
      { driver: 'pack', file: 'usfs_wrc_whp.tif', note: 'int32, nodata -128' },
      {
        driver: 'imageserver',
        endpoint: 'https://imagery.geoplatform.gov/iipp/rest/services/Fire_Aviation/USFS_EDW_RMRS_WRC_WildfireHazardPotential/ImageServer',
        nodata: [65535], note: 'U16, while the file is int32: larger values must be clipped or scaled in the service',
      },
    ],
    bulk: 'https://www.fs.usda.gov/rds/archive/catalog/RDS-2020-0016-2',
  },
  usfs_wrc_cfl: {
    service: 'usfs_wrc_2024', title: 'Wildfire Risk to Communities, conditional flame length', publisher: 'USDA Forest Service RMRS',
    licence: 'US government work, public domain',
    source_url: 'https://www.fs.usda.gov/rds/archive/catalog/RDS-2020-0016-2',
    coverage: { regions: ['conus', 'ak', 'hi'], note: 'US; territories not stated' },
    vintage: '2nd edition (2024)', vintage_note: 'Second edition (2024)',
    ttl_seconds: 2_592_000, shape: 'raster', budget_ms: 20_000, needs_key: null,
    serve: [
      { driver: 'pack', file: 'usfs_wrc_cfl.tif', note: 'float32, feet' },
      {
        driver: 'imageserver',
        endpoint: 'https://imagery.geoplatform.gov/iipp/rest/services/Fire_Aviation/USFS_EDW_RMRS_WRC_ConditionalFlameLength/ImageServer',
        nodata: [65535], note: 'taken as feet, unsettled: its maximum of 475 is not the 861.7 ft of the file',
      },
    ],
    bulk: 'https://www.fs.usda.gov/rds/archive/catalog/RDS-2020-0016-2',
  },
  usfs_wrc_rps: {
    service: 'usfs_wrc_2024', title: 'Wildfire Risk to Communities, risk to potential structures', publisher: 'USDA Forest Service RMRS',
    licence: 'US government work, public domain',
    source_url: 'https://www.fs.usda.gov/rds/archive/catalog/RDS-2020-0016-2',
    coverage: { regions: ['conus', 'ak', 'hi'], note: 'US; territories not stated' },
    vintage: '2nd edition (2024)', vintage_note: 'Second edition (2024)',
    ttl_seconds: 2_592_000, shape: 'raster', budget_ms: 20_000, needs_key: null,
    serve: [
      { driver: 'pack', file: 'usfs_wrc_rps.tif', note: 'float32, the index itself' },
      {
        driver: 'imageserver',
        endpoint: 'https://imagery.geoplatform.gov/iipp/rest/services/Fire_Aviation/USFS_EDW_RMRS_WRC_RiskToPotentialStructures/ImageServer',
        scale: 0.01, nodata: [65535], note: 'the scale of 1/100 is an inference',
      },
    ],
    bulk: 'https://www.fs.usda.gov/rds/archive/catalog/RDS-2020-0016-2',
  },
  mtbs_boundaries: {
    service: 'mtbs_boundaries', title: 'Monitoring Trends in Burn Severity, burned area boundaries',
    publisher: 'USGS and USDA Forest Service',
    licence: 'US government work, public domain',
    source_url: 'https://www.mtbs.gov/',
    coverage: { regions: ['conus', 'ak', 'hi', 'pr'], note: null },
    vintage_note: 'Twice a year, one to two years behind',
    ttl_seconds: 2_592_000, shape: 'features', budget_ms: 12_000, needs_key: null,
    serve: [
      {
        driver: 'pack', file: 'mtbs_boundaries.gpkg',
        note: 'pack attributes differ: Event_ID, Incid_Name, Ig_Date; YEAR = year(Ig_Date) at import',
      },
      { driver: 'arcgis', endpoint: 'https://apps.fs.usda.gov/arcx/rest/services/EDW/EDW_MTBS_01/MapServer/63' },
    ],
    bulk: 'https://edcintl.cr.usgs.gov/downloads/sciweb1/shared/MTBS_Fire/data/composite_data/burned_area_extent_shapefile/mtbs_perimeter_data.zip',
  },
}
