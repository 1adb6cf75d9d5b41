import type { Point } from '../../model/place.ts'
import type { Value } from '../../model/source.ts'

/** The settings of a function, by name. */
export type FunctionOptions = Readonly<Record<string, string | number>>

/** A pure function of named inputs; `now` for those whose answer changes with time. Null without its inputs. */
export type ComputedFunction = (inputs: Readonly<Record<string, Value>>, options: FunctionOptions, now: Date) => Value

/** A computation from the point, given as the inputs `lat` and `lng`. */
export function pointFunction(compute: (at: Point, options: FunctionOptions, now: Date) => Value): ComputedFunction {
  return ({ lat, lng }, options, now) =>
    typeof lat === 'number' && typeof lng === 'number' ? compute({ lat, lng }, options, now) : null
}

/** A setting by name, a whole number. */
export function integerOption(options: FunctionOptions, name: string): number {
  const value = options[name]
  if (typeof value === 'number' && Number.isInteger(value)) return value
  throw new Error(`The setting ${name} is a whole number, and not ${value}.`)
}
