import type { Dataset } from '../../src/catalog/records.ts'

export const usgs: Record<string, Dataset> = {
  usgs_3dep: {
    service: 'usgs_3dep', title: '3D Elevation Program seamless DEM, 1/3 arc-second', publisher: 'USGS',
    licence: 'US government work, public domain',
    source_url: 'https://www.usgs.gov/3d-elevation-program',
    coverage: {
      regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'],
      note: 'Alaska partly: only where a 1/3 arc-second tile exists; regions from general knowledge, not in the source notes',
    },
    vintage_note: 'Tiles are replaced as lidar arrives, weekly to monthly',
    ttl_seconds: 2_592_000, shape: 'raster', budget_ms: 10_000, needs_key: null,
    serve: [
      { driver: 'pack', file: 'usgs_3dep_13.tif', note: 'COG, or VRT of COG tiles' },
      {
        driver: 'cog', asset: 'https://prd-tnm.s3.amazonaws.com/StagedProducts/Elevation/13/TIFF/current/{tile}/USGS_13_{tile}.tif',
        vrt: 'https://prd-tnm.s3.amazonaws.com/StagedProducts/Elevation/13/TIFF/USGS_Seamless_DEM_13.vrt', band: 1, nodata: [-999999],
        tile: { degrees: 1, name: '{ns}{lat:2}{ew}{lon:3}' },
        note: 'names of tiles south of the equator and east of Greenwich are unverified',
      },
      {
        driver: 'imageserver', endpoint: 'https://elevation.nationalmap.gov/arcgis/rest/services/3DEPElevation/ImageServer', cell_m: 10,
        note: "do not use the 'Slope Degrees' rule as the first choice: its grid is Web Mercator, so ground distance is stretched by 1/cos(latitude)",
      },
      {
        driver: 'rest', endpoint: 'https://epqs.nationalmap.gov/v1/json', query: 'x={lon}&y={lat}&wkid=4326&units=Meters&includeDate=false',
        json_path: '$.value', expects: '$.value', nodata: [-1000000],
        absent: { text: '^(Call failed|Invalid or missing input parameters)' },
        note: 'one value only; out of coverage it answers HTTP 200 with plain text',
      },
    ],
    bulk: 'https://prd-tnm.s3.amazonaws.com/StagedProducts/Elevation/13/TIFF/current/{tile}/USGS_13_{tile}.tif',
  },
  usgs_3dep_identify: {
    service: 'usgs_3dep', title: '3D Elevation Program: source models at a point', publisher: 'USGS',
    licence: 'US government work, public domain',
    source_url: 'https://www.usgs.gov/3d-elevation-program',
    coverage: {
      regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'], note: 'regions from general knowledge, not in the source notes',
    },
    vintage_note: 'As usgs_3dep',
    ttl_seconds: 2_592_000, shape: 'document', budget_ms: 10_000, needs_key: null,
    serve: [
      {
        driver: 'rest', endpoint: 'https://elevation.nationalmap.gov/arcgis/rest/services/3DEPElevation/ImageServer/identify',
        query: {
          geometry: '{"x":{lon},"y":{lat},"spatialReference":{"wkid":4326}}', geometryType: 'esriGeometryPoint', returnCatalogItems: 'true',
          returnGeometry: 'false', f: 'json',
        },
        expects: '$.value',
      },
    ],
    bulk: null,
    note: 'no pack form',
  },
  usgs_3dep_index: {
    service: 'usgs_3dep_index', title: '3DEP lidar work units (WESM)', publisher: 'USGS',
    licence: 'US government work, public domain',
    source_url: 'https://index.nationalmap.gov/arcgis/rest/services/3DEPElevationIndex/MapServer',
    coverage: { regions: ['conus', 'ak', 'hi'], note: 'national; exact coverage outside the 48 states is an open point' },
    vintage_note: 'Weekly',
    ttl_seconds: 2_592_000, shape: 'features', budget_ms: 8_000, needs_key: null,
    serve: [
      { driver: 'pack', file: 'usgs_wesm.gpkg', layer: 'WESM' },
      { driver: 'arcgis', endpoint: 'https://index.nationalmap.gov/arcgis/rest/services/3DEPElevationIndex/MapServer/24' },
    ],
    bulk: 'https://prd-tnm.s3.amazonaws.com/StagedProducts/Elevation/metadata/WESM.gpkg',
    attributes: ['workunit', 'project', 'ql', 'collect_start', 'collect_end', 'onemeter_category', 'dem_gsd_meters'],
    note: 'dates are epoch milliseconds in the service, ISO dates in the pack',
  },
  usgs_sgmc: {
    service: 'usgs_sgmc', title: 'State Geologic Map Compilation (Data Series 1052)', publisher: 'USGS',
    licence: 'US government work, public domain',
    source_url: 'https://doi.org/10.5066/F7WH2N65',
    coverage: { regions: ['conus'], note: null },
    vintage: '2017', vintage_note: '2017, static',
    ttl_seconds: 2_592_000, shape: 'features', budget_ms: 20_000, needs_key: null,
    serve: [
      { driver: 'pack', file: 'usgs_sgmc.gpkg', layer: 'SGMC_Geology' },
      {
        driver: 'arcgis',
        endpoint: 'https://services.arcgis.com/v01gqwM5QqNysAAi/arcgis/rest/services/SB_5888bf4fe4b05ccb964bab9d_USGS_SGMC_feature/FeatureServer/3',
        note: 'cold hosted layer: the first query can need up to 60 s, warm it up at start',
      },
    ],
    bulk: 'ScienceBase item 5888bf4fe4b05ccb964bab9d, USGS_SGMC_Geodatabase.zip',
    attributes: ['STATE', 'ORIG_LABEL', 'UNIT_NAME', 'AGE_MIN', 'AGE_MAX', 'GENERALIZED_LITH', 'MAJOR1', 'UNIT_LINK'],
  },
  usgs_qfaults: {
    service: 'usgs_qfaults', title: 'Quaternary Fault and Fold Database, national lines', publisher: 'USGS',
    licence: 'US government work, public domain',
    source_url: 'https://www.usgs.gov/programs/earthquake-hazards/faults',
    coverage: { regions: ['conus', 'ak', 'hi'], note: 'national; territories not stated' },
    vintage_note: 'Irregular updates',
    ttl_seconds: 2_592_000, shape: 'features', budget_ms: 10_000, needs_key: null,
    serve: [
      { driver: 'pack', file: 'usgs_qfaults.gpkg', layer: 'Qfaults', note: 'small enough for the default pack, 32 MB zip' },
      { driver: 'arcgis', endpoint: 'https://earthquake.usgs.gov/arcgis/rest/services/haz/Qfaults/MapServer/21' },
    ],
    bulk: 'https://earthquake.usgs.gov/static/lfs/nshm/qfaults/Qfaults_GIS.zip',
    attributes: ['fault_name', 'section_name', 'age', 'slip_rate', 'slip_sense', 'fault_id'],
  },
  usgs_karst: {
    service: 'usgs_karst', title: 'Karst in the United States (Open-File Report 2014-1156)', publisher: 'USGS',
    licence: 'US government work, public domain',
    source_url: 'https://pubs.usgs.gov/of/2014/1156/',
    coverage: { regions: ['conus'], note: 'Alaska, Hawaii and Puerto Rico are separate layers, not used' },
    vintage: '2014', vintage_note: '2014, static',
    ttl_seconds: 2_592_000, shape: 'features', budget_ms: 1_000, needs_key: null,
    serve: [
      {
        driver: 'pack', file: 'usgs_karst.gpkg', layers: ['Carbonates48', 'Evaporites48', 'SandstoneKarst48'],
        note: 'KARST_TYPE is made at import from the layer: carbonate, evaporite or sandstone',
      },
    ],
    bulk: 'https://pubs.usgs.gov/of/2014/1156/downloads/USKarstMap.zip',
    recipe: {
      files: ['https://pubs.usgs.gov/of/2014/1156/downloads/USKarstMap.zip'],
      complete: true, keep: ['KARST_TYPE'],
      layers: [
        { layer: 'Carbonates48', set: { KARST_TYPE: 'carbonate' } }, { layer: 'Evaporites48', set: { KARST_TYPE: 'evaporite' } },
        { layer: 'SandstoneKarst48', set: { KARST_TYPE: 'sandstone' } },
      ],
    },
    note: 'pack only, no query service',
  },
  usgs_landslide_point: {
    service: 'usgs_landslide_inventory', title: 'US Landslide Inventory, points', publisher: 'USGS',
    licence: 'US government work, public domain',
    source_url: 'https://www.usgs.gov/tools/us-landslide-inventory',
    coverage: { regions: ['conus', 'ak', 'hi'], note: 'national, very uneven; territories not stated' },
    vintage: 'version 3', vintage_note: 'Content is version 3 of the inventory',
    ttl_seconds: 2_592_000, shape: 'features', budget_ms: 8_000, needs_key: null,
    serve: [
      { driver: 'pack', file: 'usgs_landslide.gpkg', layer: 'US_Landslide_point' },
      {
        driver: 'arcgis',
        endpoint: 'https://services.arcgis.com/v01gqwM5QqNysAAi/arcgis/rest/services/US_Landslide_point_v2/FeatureServer/11',
      },
    ],
    bulk: 'ScienceBase item 671eef1fd34ed0f827ea9f12',
  },
  usgs_landslide_poly: {
    service: 'usgs_landslide_inventory', title: 'US Landslide Inventory, polygons', publisher: 'USGS',
    licence: 'US government work, public domain',
    source_url: 'https://www.usgs.gov/tools/us-landslide-inventory',
    coverage: { regions: ['conus', 'ak', 'hi'], note: 'national, very uneven; territories not stated' },
    vintage: 'version 3', vintage_note: 'Content is version 3 of the inventory',
    ttl_seconds: 2_592_000, shape: 'features', budget_ms: 8_000, needs_key: null,
    serve: [
      { driver: 'pack', file: 'usgs_landslide.gpkg', layer: 'US_Landslide_poly' },
      {
        driver: 'arcgis',
        endpoint: 'https://services.arcgis.com/v01gqwM5QqNysAAi/arcgis/rest/services/US_Landslide_poly_v2/FeatureServer/12',
      },
    ],
    bulk: 'ScienceBase item 671eef1fd34ed0f827ea9f12',
  },
  usgs_designmaps_asce7_22: {
    service: 'usgs_designmaps_asce7_22', title: 'Seismic design maps, ASCE 7-22', publisher: 'USGS',
    licence: 'Public domain, provisional software',
    source_url: 'https://earthquake.usgs.gov/ws/designmaps/',
    coverage: { regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as'], note: null },
    vintage: 'ASCE 7-22', vintage_note: 'Static per code edition',
    ttl_seconds: 7_776_000, shape: 'document', budget_ms: 8_000, needs_key: null,
    serve: [
      {
        driver: 'rest',
        endpoint: 'https://earthquake.usgs.gov/ws/designmaps/asce7-22.json?latitude={lat}&longitude={lon}&riskCategory=II&siteClass=Default&title=x',
        expects: '$.response.data',
        faults: [{ status: 500, json_path: '$.response', matches: '.', code: 'upstream_rejected' }],
      },
    ],
    bulk: null,
  },
  usgs_fdsn_event: {
    service: 'usgs_fdsn_event', title: 'ANSS earthquake catalogue, event counts', publisher: 'USGS',
    licence: 'US government work, public domain',
    source_url: 'https://earthquake.usgs.gov/fdsnws/event/1/',
    coverage: { regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'], note: 'world' },
    vintage_note: 'Live',
    ttl_seconds: 86_400, shape: 'document', budget_ms: 8_000, needs_key: null,
    serve: [
      {
        driver: 'rest',
        endpoint: 'https://earthquake.usgs.gov/fdsnws/event/1/count?format=geojson&latitude={lat}&longitude={lon}&maxradiuskm=100&minmagnitude=4&starttime=1975-01-01',
        expects: '$.count',
      },
    ],
    bulk: null,
  },
  annual_nlcd_landcover: {
    service: 'annual_nlcd_landcover', title: 'Annual NLCD land cover', publisher: 'USGS / MRLC',
    licence: 'US government work, public domain',
    source_url: 'https://www.mrlc.gov/data/project/annual-nlcd',
    coverage: { regions: ['conus'], note: null },
    vintage: 'Collection 1', vintage_note: 'Collection 1, years 2013-2024 in the service',
    ttl_seconds: 2_592_000, shape: 'raster', budget_ms: 20_000, needs_key: null,
    serve: [
      { driver: 'pack', file: 'annual_nlcd_landcover.tif' },
      {
        driver: 'imageserver',
        endpoint: 'https://imagery.geoplatform.gov/iipp/rest/services/Vegetation/USFS_EDW_NLCD_Landcover_CONUS/ImageServer',
        edition_attribute: 'endyear', zonal: 'computeStatisticsHistograms',
        note: 'zonal takes an Esri polygon in EPSG:3857; an empty list of histograms is a fault, not an empty circle',
      },
      {
        driver: 'wms_feature_info', endpoint: 'https://dmsdata.cr.usgs.gov/geoserver/mrlc_Land-Cover-Native_conus_year_data/wms',
        layer: 'mrlc_Land-Cover-Native_conus_year_data:Land-Cover-Native_conus_year_data', newest_year: 2024,
        note: 'the code of a point only; years 1985-2024, 2025 was seen',
      },
    ],
    bulk: 's3://usgs-landcover/annual-nlcd/c1/v0/cu/mosaic/Annual_NLCD_LndCov_2023_CU_C1V0.tif',
  },
  annual_nlcd_impervious: {
    service: 'annual_nlcd_impervious', title: 'Annual NLCD fractional impervious surface', publisher: 'USGS / MRLC',
    licence: 'US government work, public domain',
    source_url: 'https://www.mrlc.gov/data/project/annual-nlcd',
    coverage: { regions: ['conus'], note: null },
    vintage: 'Collection 1', vintage_note: 'Collection 1',
    ttl_seconds: 2_592_000, shape: 'raster', budget_ms: 1_000, needs_key: null,
    serve: [
      { driver: 'pack', file: 'annual_nlcd_impervious.tif' },
    ],
    bulk: 'https://www.mrlc.gov/downloads/sciweb1/shared/mrlc/data-bundles/Annual_NLCD_FctImp_{year}_CU_{C1V2,C1V1}.zip',
    recipe: {
      files: ['https://www.mrlc.gov/downloads/sciweb1/shared/mrlc/data-bundles/Annual_NLCD_FctImp_{year}_CU_{C1V2,C1V1}.zip'],
      rasters: [{ file: 'annual_nlcd_impervious.tif', member: 'Annual_NLCD_FctImp_*' }],
    },
    note: 'pack only',
  },
  padus: {
    service: 'padus', title: 'Protected Areas Database 4.1', publisher: 'USGS',
    licence: 'Public domain, cite',
    attribution: 'PAD-US 4.1, USGS',
    source_url: 'https://www.usgs.gov/programs/gap-analysis-project/science/pad-us-data-overview',
    coverage: { regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'], note: 'US and territories' },
    vintage: 'PAD-US 4.1', vintage_note: '4.1, yearly',
    ttl_seconds: 2_592_000, shape: 'features', budget_ms: 12_000, needs_key: null,
    serve: [
      { driver: 'pack', file: 'padus.gpkg', layer: 'padus' },
      {
        driver: 'arcgis',
        endpoint: 'https://services.arcgis.com/v01gqwM5QqNysAAi/arcgis/rest/services/PADUS_Protection_Status_by_GAP_Status_Code/FeatureServer/0',
      },
    ],
    bulk: 'https://www.sciencebase.gov/catalog/file/get/6759b69fd34edfeb8710a3ea?name=PADUS4_1VectorAnalysis_PADUS_Only.zip',
    attributes: ['Category', 'FeatClass', 'Unit_Nm', 'Pub_Access', 'GAP_Sts', 'MngTp_Desc', 'MngNm_Desc', 'DesTp_Desc', 'GIS_Acres'],
  },
  usgs_structures_hospitals: {
    service: 'usgs_structures', title: 'National Structures Dataset, hospitals', publisher: 'USGS',
    licence: 'US government work, public domain',
    source_url: 'https://www.usgs.gov/national-geospatial-program/national-structures-dataset',
    coverage: {
      regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'],
      note: 'US and territories; regions from general knowledge, not in the source notes',
    },
    vintage_note: null,
    ttl_seconds: 2_592_000, shape: 'features', budget_ms: 8_000, needs_key: null,
    serve: [
      { driver: 'pack', file: 'usgs_structures.gpkg', layer: 'hospitals' },
      {
        driver: 'arcgis', endpoint: 'https://carto.nationalmap.gov/arcgis/rest/services/structures/MapServer/14',
        note: 'envelope only, never server-side distance',
      },
    ],
    bulk: 'https://prd-tnm.s3.amazonaws.com/StagedProducts/Struct/GPKG/',
  },
  usgs_structures_fire_stations: {
    service: 'usgs_structures', title: 'National Structures Dataset, fire and EMS stations', publisher: 'USGS',
    licence: 'US government work, public domain',
    source_url: 'https://www.usgs.gov/national-geospatial-program/national-structures-dataset',
    coverage: {
      regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'],
      note: 'US and territories; regions from general knowledge, not in the source notes',
    },
    vintage_note: null,
    ttl_seconds: 2_592_000, shape: 'features', budget_ms: 8_000, needs_key: null,
    serve: [
      { driver: 'pack', file: 'usgs_structures.gpkg', layer: 'fire_stations' },
      {
        driver: 'arcgis', endpoint: 'https://carto.nationalmap.gov/arcgis/rest/services/structures/MapServer/16',
        note: 'envelope only, never server-side distance',
      },
    ],
    bulk: 'https://prd-tnm.s3.amazonaws.com/StagedProducts/Struct/GPKG/',
  },
  usgs_structures_police_stations: {
    service: 'usgs_structures', title: 'National Structures Dataset, police stations', publisher: 'USGS',
    licence: 'US government work, public domain',
    source_url: 'https://www.usgs.gov/national-geospatial-program/national-structures-dataset',
    coverage: {
      regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'],
      note: 'US and territories; regions from general knowledge, not in the source notes',
    },
    vintage_note: null,
    ttl_seconds: 2_592_000, shape: 'features', budget_ms: 8_000, needs_key: null,
    serve: [
      { driver: 'pack', file: 'usgs_structures.gpkg', layer: 'police_stations' },
      {
        driver: 'arcgis', endpoint: 'https://carto.nationalmap.gov/arcgis/rest/services/structures/MapServer/18',
        note: 'envelope only, never server-side distance',
      },
    ],
    bulk: 'https://prd-tnm.s3.amazonaws.com/StagedProducts/Struct/GPKG/',
  },
  usgs_uswtdb: {
    service: 'usgs_uswtdb', title: 'US Wind Turbine Database', publisher: 'USGS, LBNL and ACP',
    licence: 'US government work, public domain',
    source_url: 'https://energy.usgs.gov/uswtdb/',
    coverage: { regions: ['conus', 'ak', 'hi', 'pr', 'gu'], note: null },
    vintage_note: 'Quarterly',
    ttl_seconds: 2_592_000, shape: 'features', budget_ms: 8_000, needs_key: null,
    serve: [
      { driver: 'pack', file: 'usgs_uswtdb.gpkg' },
      {
        driver: 'rest_features',
        endpoint: 'https://energy.usgs.gov/api/uswtdb/v1/turbines?xlong=gte.{w}&xlong=lte.{e}&ylat=gte.{s}&ylat=lte.{n}&select=case_id,p_name,p_year,t_cap,t_hh,xlong,ylat',
        json_path: '$[*]', lat: 'ylat', lon: 'xlong', cap: 1000, note: 'an answer of 1,000 rows is a part of more',
      },
      {
        driver: 'arcgis',
        endpoint: 'https://services.arcgis.com/P3ePLMYs2RVChkJx/ArcGIS/rest/services/US_Wind_Turbine_Database/FeatureServer/0',
      },
    ],
    bulk: null,
  },
}
