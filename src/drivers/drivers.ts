import type { Static } from '@sinclair/typebox'
import { arcgisDriver } from './arcgis/arcgis.ts'
import { arcgisIdentifyDriver } from './arcgis/arcgis-identify.ts'
import { cogDriver } from './raster/cog.ts'
import { computedDriver } from './computed.ts'
import { cropscapeDriver } from './raster/cropscape.ts'
import { embeddedDriver } from './pack/embedded.ts'
import { geojsonFileDriver } from './features/geojson-file.ts'
import { hourlyCsvDriver } from './rest/hourly-csv.ts'
import { imageserverDriver } from './imageserver/imageserver.ts'
import { ogcFeaturesDriver } from './features/ogc-features.ts'
import { overpassDriver } from './features/overpass.ts'
import { packDriver } from './pack/pack.ts'
import { restDriver } from './rest/rest.ts'
import { restFeaturesDriver } from './rest/rest-features.ts'
import { restTextDriver } from './rest/rest-text.ts'
import { sdaDriver } from './sda/sda.ts'
import { stacDriver } from './stac/stac.ts'
import { stacPointDriver } from './stac/stac-point.ts'
import { tableDriver } from './table/table.ts'
import { wmsFeatureInfoDriver } from './raster/wms-feature-info.ts'

/** All drivers by name. To add one, add a file and a line here. */
export const drivers = {
  pack: packDriver,
  embedded: embeddedDriver,
  computed: computedDriver,
  arcgis: arcgisDriver,
  arcgis_identify: arcgisIdentifyDriver,
  imageserver: imageserverDriver,
  cog: cogDriver,
  stac: stacDriver,
  stac_point: stacPointDriver,
  rest: restDriver,
  rest_features: restFeaturesDriver,
  rest_text: restTextDriver,
  hourly_csv: hourlyCsvDriver,
  sda: sdaDriver,
  ogc_features: ogcFeaturesDriver,
  geojson_file: geojsonFileDriver,
  wms_feature_info: wmsFeatureInfoDriver,
  cropscape: cropscapeDriver,
  table: tableDriver,
  overpass: overpassDriver,
}

/** The name of a driver. */
export type DriverName = keyof typeof drivers

/** How a dataset is served: a driver's name and its settings, in one flat record. */
export type DriverConfig = { [D in DriverName]: { driver: D } & Static<(typeof drivers)[D]['config']> }[DriverName]
