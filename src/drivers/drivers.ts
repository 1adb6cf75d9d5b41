import type { Static } from '@sinclair/typebox'
import { arcgisDriver } from './arcgis.ts'
import { arcgisIdentifyDriver } from './arcgis-identify.ts'
import { cogDriver } from './cog.ts'
import { computedDriver } from './computed.ts'
import { cropscapeDriver } from './cropscape.ts'
import { embeddedDriver } from './embedded.ts'
import { geojsonFileDriver } from './geojson-file.ts'
import { hourlyCsvDriver } from './hourly-csv.ts'
import { imageserverDriver } from './imageserver.ts'
import { ogcFeaturesDriver } from './ogc-features.ts'
import { overpassDriver } from './overpass.ts'
import { packDriver } from './pack.ts'
import { restDriver } from './rest.ts'
import { restFeaturesDriver } from './rest-features.ts'
import { restTextDriver } from './rest-text.ts'
import { sdaDriver } from './sda.ts'
import { stacDriver } from './stac.ts'
import { stacPointDriver } from './stac-point.ts'
import { tableDriver } from './table.ts'
import { wmsFeatureInfoDriver } from './wms-feature-info.ts'

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
