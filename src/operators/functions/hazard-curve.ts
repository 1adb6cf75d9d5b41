import { requireNumber } from '../../geo/attribute.ts'
import { UpstreamError, schemaChangedError } from '../../model/error.ts'
import type { Value } from '../../model/source.ts'
import type { ComputedFunction } from './function.ts'

/**
 * The level of a hazard curve that is exceeded at an annual rate, interpolated on logarithmic scales. `levels` (rising)
 * and `rates` (falling) are comma-separated. `measure` and `component` are what the source says that the curve shows;
 * they must be those of the arguments. null if an input is missing.
 * @throws {UpstreamError} if it is another curve, or one that does not reach the rate.
 */
export const hazardCurveLevel: ComputedFunction = ({ levels, rates, ...shown }, { annual_rate, ...requested }) => {
  if (levels === null || rates === null || levels === undefined || rates === undefined) return null
  for (const [name, expected] of Object.entries(requested))
    if (shown[name] !== expected) throw schemaChangedError([`${name} ${expected}`], [String(shown[name])])
  return levelAt(numbersOf(levels), numbersOf(rates), requireNumber(annual_rate ?? null))
}

function numbersOf(list: Value): number[] {
  return String(list).split(',').map(requireNumber)
}

function levelAt(levels: number[], rates: number[], rate: number): number {
  const i = rates.findIndex((it, i) => i + 1 < rates.length && it >= rate && rates[i + 1]! < rate)
  if (levels.length !== rates.length || i < 0)
    throw new UpstreamError(
      'bad_value',
      `The source returned a curve of ${levels.length} levels and ${rates.length} rates. Expected one that reaches the rate ${rate}.`,
    )
  const share = Math.log(rate / rates[i]!) / Math.log(rates[i + 1]! / rates[i]!)
  return levels[i]! * Math.pow(levels[i + 1]! / levels[i]!, share)
}
