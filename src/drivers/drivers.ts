import type { Static } from '@sinclair/typebox'
import { arcgis } from './arcgis.ts'
import { cog } from './cog.ts'
import { computed } from './computed.ts'
import { cropscape } from './cropscape.ts'
import { embedded } from './embedded.ts'
import { geojsonFile } from './geojson-file.ts'
import { imageserver } from './imageserver.ts'
import { ogcFeatures } from './ogc-features.ts'
import { overpass } from './overpass.ts'
import { pack } from './pack.ts'
import { rest } from './rest.ts'
import { restFeatures } from './rest-features.ts'
import { restText } from './rest-text.ts'
import { sda } from './sda.ts'
import { stac } from './stac.ts'
import { stacPoint } from './stac-point.ts'
import { table } from './table.ts'
import { wmsFeatureInfo } from './wms-feature-info.ts'

/** Every protocol we speak. A new one is a new file and a new line here. */
export const drivers = {
  pack,
  embedded,
  computed,
  arcgis,
  imageserver,
  cog,
  stac,
  stac_point: stacPoint,
  rest,
  rest_features: restFeatures,
  rest_text: restText,
  sda,
  ogc_features: ogcFeatures,
  geojson_file: geojsonFile,
  wms_feature_info: wmsFeatureInfo,
  cropscape,
  table,
  overpass,
}

/** One protocol by its name. */
export type DriverName = keyof typeof drivers

/** How a dataset may be served: a driver's name and that driver's own settings, as one flat record. */
export type Serving = { [D in DriverName]: { driver: D } & Static<(typeof drivers)[D]['config']> }[DriverName]
