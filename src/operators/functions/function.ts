import type { Point } from '../../model/place.ts'
import type { Value } from '../../model/source.ts'

/** The settings of a function, by name. */
export type Settings = Readonly<Record<string, string | number>>

/** A pure function of named inputs; `now` for those whose answer changes with time. Null without its inputs. */
export type Computation = (inputs: Readonly<Record<string, Value>>, settings: Settings, now: Date) => Value

/** A computation from the point, given as the inputs `lat` and `lng`. */
export function ofPoint(compute: (at: Point, settings: Settings, now: Date) => Value): Computation {
  return ({ lat, lng }, settings, now) => (typeof lat === 'number' && typeof lng === 'number' ? compute({ lat, lng }, settings, now) : null)
}

/** A setting by name, a whole number. */
export function wholeNumber(settings: Settings, name: string): number {
  const value = settings[name]
  if (typeof value === 'number' && Number.isInteger(value)) return value
  throw new Error(`The setting ${name} is a whole number, and not ${value}.`)
}
