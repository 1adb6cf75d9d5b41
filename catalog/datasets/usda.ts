import type { Dataset } from '../../src/catalog/records.ts'

/**
 * What Soil Data Access is asked for a point: its map unit, and the dominant component of that with its horizons. On a border both
 * statements take the same map unit.
 */
const soilsAtPoint = {
  muname: "SELECT TOP 1 m.mukey, m.musym, m.muname, m.mukind, m.farmlndcl, l.areasymbol, a.drclassdcd, a.hydgrpdcd, a.brockdepmin, a.wtdepannmin, a.flodfreqdcd, a.pondfreqprs, a.hydclprs, a.aws0150wta, a.niccdcd, a.engstafdcd, a.engdwbdcd, a.slopegraddcp FROM SDA_Get_Mukey_from_intersection_with_WktWgs84('POINT({lon} {lat})') p JOIN mapunit m ON m.mukey = p.mukey JOIN legend l ON l.lkey = m.lkey LEFT JOIN muaggatt a ON a.mukey = m.mukey WHERE l.areasymbol <> 'US' ORDER BY m.mukey",
  cokey: "SELECT c.cokey, c.compname, c.comppct_r, c.compkind, c.taxorder, c.drainagecl, h.hzdept_r, h.hzdepb_r, h.claytotal_r, h.sandtotal_r, h.om_r, h.ph1to1h2o_r, h.ksat_r, h.lep_r, h.awc_r, t.texdesc, (SELECT MIN(r.resdept_r) FROM corestrictions r WHERE r.cokey = c.cokey) AS resdept_r FROM component c LEFT JOIN chorizon h ON h.cokey = c.cokey LEFT JOIN chtexturegrp t ON t.chkey = h.chkey AND t.rvindicator = 'Yes' WHERE c.cokey = (SELECT TOP 1 c2.cokey FROM component c2 WHERE c2.mukey = (SELECT TOP 1 m.mukey FROM SDA_Get_Mukey_from_intersection_with_WktWgs84('POINT({lon} {lat})') p JOIN mapunit m ON m.mukey = p.mukey JOIN legend l ON l.lkey = m.lkey WHERE l.areasymbol <> 'US' ORDER BY m.mukey) ORDER BY c2.comppct_r DESC, c2.cokey) ORDER BY h.hzdept_r",
}

export const usda: Record<string, Dataset> = {
  usda_ssurgo_mapunit: {
    service: 'usda_ssurgo_sda', title: 'SSURGO map unit at a point', publisher: 'USDA NRCS',
    licence: 'US government work, public domain',
    source_url: 'https://sdmdataaccess.sc.egov.usda.gov/',
    coverage: {
      regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'],
      note: '48 states nearly all, Hawaii, Puerto Rico and islands; Alaska partly',
    },
    vintage_note: 'Refreshed each 1 October',
    ttl_seconds: 2_592_000, shape: 'document', budget_ms: 12_000, needs_key: null,
    serve: [
      { driver: 'pack', file: 'ssurgo.gpkg', layer: 'mupolygon', joins: ['mapunit', 'muaggatt'] },
      {
        driver: 'sda', endpoint: 'https://sdmdataaccess.sc.egov.usda.gov/Tabular/post.rest',
        sql: soilsAtPoint, column: 'muname',
      },
    ],
    bulk: 'https://websoilsurvey.sc.egov.usda.gov/DSD/Download/Cache/SSA/wss_SSA_{AREA}_[{date}].zip',
  },
  usda_ssurgo_component: {
    service: 'usda_ssurgo_sda', title: 'SSURGO dominant component of the map unit at a point', publisher: 'USDA NRCS',
    licence: 'US government work, public domain',
    source_url: 'https://sdmdataaccess.sc.egov.usda.gov/',
    coverage: {
      regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'],
      note: '48 states nearly all, Hawaii, Puerto Rico and islands; Alaska partly',
    },
    vintage_note: 'Refreshed each 1 October',
    ttl_seconds: 2_592_000, shape: 'document', budget_ms: 12_000, needs_key: null,
    serve: [
      { driver: 'pack', file: 'ssurgo.gpkg', layer: 'mupolygon', joins: ['component', 'chorizon', 'chtexturegrp', 'corestrictions'] },
      {
        driver: 'sda', endpoint: 'https://sdmdataaccess.sc.egov.usda.gov/Tabular/post.rest',
        sql: soilsAtPoint, column: 'cokey',
      },
    ],
    bulk: 'https://websoilsurvey.sc.egov.usda.gov/DSD/Download/Cache/SSA/wss_SSA_{AREA}_[{date}].zip',
  },
  usda_solus100: {
    service: 'usda_solus100', title: 'SOLUS100 depth to any lithic contact', publisher: 'USDA NRCS',
    licence: 'US government work, public domain',
    source_url: 'https://storage.googleapis.com/solus100pub/index.html',
    coverage: { regions: ['conus'], note: null },
    vintage_note: 'First release 2024, no fixed cadence',
    ttl_seconds: 2_592_000, shape: 'raster', budget_ms: 8_000, needs_key: null,
    serve: [
      { driver: 'pack', file: 'solus100_anylithicdpt.tif' },
      { driver: 'cog', asset: 'https://storage.googleapis.com/solus100pub/anylithicdpt_cm_p.tif', crs: 'EPSG:5070', band: 1 },
    ],
    bulk: 'https://storage.googleapis.com/solus100pub/anylithicdpt_cm_p.tif',
    note: 'whole centimetres: of the layers of SOLUS100 those of depth have the scalar 1 (rSW2exter); 201 is the most it says, and stands for 2 m and more',
  },
  usda_cdl: {
    service: 'usda_cdl', title: 'Cropland Data Layer', publisher: 'USDA NASS',
    licence: 'US government work, public domain',
    source_url: 'https://www.nass.usda.gov/Research_and_Science/Cropland/SARS1a.php',
    coverage: { regions: ['conus'], note: null },
    vintage_note: 'Years 2008-2025, new year each February',
    ttl_seconds: 2_592_000, shape: 'raster', budget_ms: 20_000, needs_key: null,
    serve: [
      { driver: 'pack', file: 'usda_cdl.tif' },
      {
        driver: 'imageserver', endpoint: 'https://pdi.scinet.usda.gov/image/rest/services/CDL_WM/ImageServer', edition_attribute: 'Year',
        zonal: 'computeHistograms', note: 'zonal takes an Esri polygon in EPSG:3857',
      },
      {
        driver: 'cropscape',
        endpoint: 'https://nassgeodata.gmu.edu/axis2/services/CDLService/GetCDLValue?year={year}&x={albers_x}&y={albers_y}',
        crs: 'EPSG:5070',
      },
    ],
    bulk: 'https://www.nass.usda.gov/Research_and_Science/Cropland/Release/',
    classes: {
      1: 'Corn', 2: 'Cotton', 3: 'Rice', 4: 'Sorghum', 5: 'Soybeans', 6: 'Sunflower', 10: 'Peanuts', 11: 'Tobacco', 12: 'Sweet Corn',
      13: 'Pop or Orn Corn', 14: 'Mint', 21: 'Barley', 22: 'Durum Wheat', 23: 'Spring Wheat', 24: 'Winter Wheat', 25: 'Other Small Grains',
      26: 'Dbl Crop WinWht/Soybeans', 27: 'Rye', 28: 'Oats', 29: 'Millet', 30: 'Speltz', 31: 'Canola', 32: 'Flaxseed', 33: 'Safflower',
      34: 'Rape Seed', 35: 'Mustard', 36: 'Alfalfa', 37: 'Other Hay/Non Alfalfa', 38: 'Camelina', 39: 'Buckwheat', 41: 'Sugarbeets',
      42: 'Dry Beans', 43: 'Potatoes', 44: 'Other Crops', 45: 'Sugarcane', 46: 'Sweet Potatoes', 47: 'Misc Vegs & Fruits',
      48: 'Watermelons', 49: 'Onions', 50: 'Cucumbers', 51: 'Chick Peas', 52: 'Lentils', 53: 'Peas', 54: 'Tomatoes', 55: 'Caneberries',
      56: 'Hops', 57: 'Herbs', 58: 'Clover/Wildflowers', 59: 'Sod/Grass Seed', 60: 'Switchgrass', 61: 'Fallow/Idle Cropland', 63: 'Forest',
      64: 'Shrubland', 65: 'Barren', 66: 'Cherries', 67: 'Peaches', 68: 'Apples', 69: 'Grapes', 70: 'Christmas Trees',
      71: 'Other Tree Crops', 72: 'Citrus', 74: 'Pecans', 75: 'Almonds', 76: 'Walnuts', 77: 'Pears', 81: 'Clouds/No Data', 82: 'Developed',
      83: 'Water', 87: 'Wetlands', 88: 'Nonag/Undefined', 92: 'Aquaculture', 111: 'Open Water', 112: 'Perennial Ice/Snow',
      121: 'Developed/Open Space', 122: 'Developed/Low Intensity', 123: 'Developed/Med Intensity', 124: 'Developed/High Intensity',
      131: 'Barren', 141: 'Deciduous Forest', 142: 'Evergreen Forest', 143: 'Mixed Forest', 152: 'Shrubland', 176: 'Grass/Pasture',
      190: 'Woody Wetlands', 195: 'Herbaceous Wetlands', 204: 'Pistachios', 205: 'Triticale', 206: 'Carrots', 207: 'Asparagus',
      208: 'Garlic', 209: 'Cantaloupes', 210: 'Prunes', 211: 'Olives', 212: 'Oranges', 213: 'Honeydew Melons', 214: 'Broccoli',
      215: 'Avocados', 216: 'Peppers', 217: 'Pomegranates', 218: 'Nectarines', 219: 'Greens', 220: 'Plums', 221: 'Strawberries',
      222: 'Squash', 223: 'Apricots', 224: 'Vetch', 225: 'Dbl Crop WinWht/Corn', 226: 'Dbl Crop Oats/Corn', 227: 'Lettuce',
      228: 'Dbl Crop Triticale/Corn', 229: 'Pumpkins', 230: 'Dbl Crop Lettuce/Durum Wht', 231: 'Dbl Crop Lettuce/Cantaloupe',
      232: 'Dbl Crop Lettuce/Cotton', 233: 'Dbl Crop Lettuce/Barley', 234: 'Dbl Crop Durum Wht/Sorghum', 235: 'Dbl Crop Barley/Sorghum',
      236: 'Dbl Crop WinWht/Sorghum', 237: 'Dbl Crop Barley/Corn', 238: 'Dbl Crop WinWht/Cotton', 239: 'Dbl Crop Soybeans/Cotton',
      240: 'Dbl Crop Soybeans/Oats', 241: 'Dbl Crop Corn/Soybeans', 242: 'Blueberries', 243: 'Cabbage', 244: 'Cauliflower', 245: 'Celery',
      246: 'Radishes', 247: 'Turnips', 248: 'Eggplants', 249: 'Gourds', 250: 'Cranberries', 254: 'Dbl Crop Barley/Soybeans',
    },
    code_sets: {
      crops: [
        1, 2, 3, 4, 5, 6, 10, 11, 12, 13, 14, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 41, 42, 43, 44,
        45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 66, 67, 68, 69, 70, 71, 72, 74, 75, 76, 77, 204, 205, 206, 207,
        208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218, 219, 220, 221, 222, 223, 224, 225, 226, 227, 228, 229, 230, 231, 232, 233,
        234, 235, 236, 237, 238, 239, 240, 241, 242, 243, 244, 245, 246, 247, 248, 249, 250, 254,
      ],
    },
  },
  usda_phzm_2023: {
    service: 'usda_phzm_2023', title: 'Plant Hardiness Zone Map 2023, zones', publisher: 'USDA-ARS and Oregon State University PRISM',
    licence: 'Free with attribution to USDA-ARS and OSU',
    attribution: 'USDA Agricultural Research Service and Oregon State University',
    source_url: 'https://planthardiness.ars.usda.gov/',
    coverage: { regions: ['conus', 'ak', 'hi', 'pr'], note: null },
    vintage: '2023', vintage_note: '2023, static',
    ttl_seconds: 7_776_000, shape: 'features', budget_ms: 1_000, needs_key: null,
    serve: [
      { driver: 'pack', file: 'phzm.gpkg', layer: 'usda_phzm_2023' },
    ],
    bulk: 'https://prism.oregonstate.edu/phzm/data/2023/phzm_us_zones_shp_2023.zip',
    recipe: {
      files: [
        'https://prism.oregonstate.edu/phzm/data/2023/phzm_us_zones_shp_2023.zip',
        'https://prism.oregonstate.edu/phzm/data/2023/phzm_ak_zones_shp_2023.zip',
        'https://prism.oregonstate.edu/phzm/data/2023/phzm_hi_zones_shp_2023.zip',
        'https://prism.oregonstate.edu/phzm/data/2023/phzm_pr_zones_shp_2023.zip',
      ],
      complete: true, keep: ['zone', 'trange'],
    },
    note: 'pack only',
  },
  usda_phzm_2023_grid: {
    service: 'usda_phzm_2023', title: 'Plant Hardiness Zone Map 2023, temperature grid',
    publisher: 'USDA-ARS and Oregon State University PRISM',
    licence: 'Free with attribution to USDA-ARS and OSU',
    attribution: 'USDA Agricultural Research Service and Oregon State University',
    source_url: 'https://planthardiness.ars.usda.gov/',
    coverage: { regions: ['conus', 'ak', 'hi', 'pr'], note: null },
    vintage: '2023', vintage_note: '2023, static',
    ttl_seconds: 7_776_000, shape: 'raster', budget_ms: 1_000, needs_key: null,
    serve: [
      { driver: 'pack', file: 'usda_phzm_2023_grid.tif' },
      { driver: 'pack', file: 'usda_phzm_2023_grid_ak.tif' },
      { driver: 'pack', file: 'usda_phzm_2023_grid_hi.tif' },
      { driver: 'pack', file: 'usda_phzm_2023_grid_pr.tif' },
    ],
    bulk: 'https://prism.oregonstate.edu/phzm/data/2023/phzm_us_grid_2023.zip',
    recipe: {
      files: [
        'https://prism.oregonstate.edu/phzm/data/2023/phzm_us_grid_2023.zip',
        'https://prism.oregonstate.edu/phzm/data/2023/phzm_ak_grid_2023.zip',
        'https://prism.oregonstate.edu/phzm/data/2023/phzm_hi_grid_2023.zip',
        'https://prism.oregonstate.edu/phzm/data/2023/phzm_pr_grid_2023.zip',
      ],
      rasters: [
        { file: 'usda_phzm_2023_grid.tif', member: 'phzm_us_grid_2023' }, { file: 'usda_phzm_2023_grid_ak.tif', member: 'phzm_ak_grid_2023' },
        { file: 'usda_phzm_2023_grid_hi.tif', member: 'phzm_hi_grid_2023' }, { file: 'usda_phzm_2023_grid_pr.tif', member: 'phzm_pr_grid_2023' },
      ],
    },
    note: 'pack only; bare cells (.bil) of 30 arc seconds in degrees Fahrenheit, nodata in the .hdr, as public programs that read it have it',
  },
  usda_ers_rucc: {
    service: 'usda_ers_rucc', title: 'Rural-Urban Continuum Codes 2023', publisher: 'USDA ERS',
    licence: 'US government work, public domain',
    source_url: 'https://www.ers.usda.gov/data-products/rural-urban-continuum-codes',
    coverage: {
      regions: ['conus', 'ak', 'hi', 'pr'],
      note: 'territories beyond Puerto Rico not stated; regions from general knowledge, not in the source notes',
    },
    vintage: '2023', vintage_note: '2023, every ten years',
    ttl_seconds: 15_552_000, shape: 'document', budget_ms: 8_000, needs_key: null,
    serve: [
      { driver: 'pack', file: 'usda_ers_rucc.gpkg' },
      { driver: 'table', asset: 'https://www.ers.usda.gov/media/5767/2023-rural-urban-continuum-codes.xlsx' },
    ],
    bulk: 'https://www.ers.usda.gov/media/5767/2023-rural-urban-continuum-codes.xlsx',
    key_field: 'county_fips',
  },
}
