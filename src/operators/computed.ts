import { Estimate } from '../model/estimate.ts'
import { compileExpression } from './expression.ts'
import { geohash, h3, maidenhead, mgrs, openLocationCode, usng } from './functions/cell-code.ts'
import { hazardCurveLevel } from './functions/hazard-curve.ts'
import { koppenGeiger } from './functions/koppen.ts'
import { magneticDeclination, magneticInclination, magneticIntensity } from './functions/magnetism.ts'
import { dayLength, solarNoonElevation } from './functions/sun.ts'
import { observesDst, utcOffsetStandard } from './functions/time-zone.ts'
import { gridConvergence, utmEasting, utmEpsg, utmNorthing, utmZone } from './functions/utm.ts'
import { nameSchemaOf, defineOperator, t } from './operator.ts'

/** The functions of computed fields by name. To add one, implement it in functions/ and register it here. */
const computedFunctions = {
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
  hazard_curve_level: hazardCurveLevel,
}

/** Computes a value from the inputs, with a formula or a named function. */
export const computedOperator = defineOperator({
  shape: null,
  args: t.Object({
    expression: t.Optional(t.String()),
    /** The input that `expression` multiplies by a constant. Its margin of error is multiplied alike. */
    proportional_to: t.Optional(t.String()),
    function: t.Optional(nameSchemaOf(computedFunctions)),
    arguments: t.Optional(t.Record(t.String(), t.Union([t.String(), t.Number()]))),
  }),
  run({ expression, proportional_to, function: name, arguments: options = {} }, _none, { inputs, margins, now }) {
    if (expression !== undefined) {
      const compute = compileExpression(expression, Object.keys(inputs))
      const value = compute(inputs)
      const margin = proportional_to === undefined ? undefined : margins?.[proportional_to]
      if (!margin || typeof value !== 'number') return value
      const moe_90 = compute({ ...inputs, [proportional_to!]: margin.moe_90 })
      return new Estimate(value, { ...margin, moe_90: typeof moe_90 === 'number' ? moe_90 : null })
    }
    if (name === undefined) throw new Error('The operation has no `expression` or `function`. Set one of them.')
    return computedFunctions[name](inputs, options, now)
  },
})
