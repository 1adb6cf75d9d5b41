import { geohash, h3, maidenhead, mgrs, openLocationCode, usng } from './functions/cell-code.ts'
import { koppenGeiger } from './functions/koppen.ts'
import { magneticDeclination, magneticInclination, magneticIntensity } from './functions/magnetism.ts'
import { dayLength, solarNoonElevation } from './functions/sun.ts'
import { observesDst, utcOffsetStandard } from './functions/time-zone.ts'
import { gridConvergence, utmEasting, utmEpsg, utmNorthing, utmZone } from './functions/utm.ts'

/** The functions of computed fields by name. To add one, implement it in functions/ and register it here. */
export const computedFunctions = {
  geohash,
  h3,
  open_location_code: openLocationCode,
  maidenhead,
  mgrs,
  usng,
  utm_zone: utmZone,
  utm_easting: utmEasting,
  utm_northing: utmNorthing,
  utm_epsg: utmEpsg,
  grid_convergence: gridConvergence,
  wmm_declination: magneticDeclination,
  wmm_inclination: magneticInclination,
  wmm_total_intensity: magneticIntensity,
  solar_noon_elevation: solarNoonElevation,
  day_length: dayLength,
  koppen_geiger: koppenGeiger,
  utc_offset_standard_hours: utcOffsetStandard,
  observes_dst: observesDst,
}
