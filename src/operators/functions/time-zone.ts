import { UpstreamError } from '../../model/error.ts'
import type { Value } from '../../model/source.ts'
import type { ComputedFunction } from './function.ts'

/** Hours from UTC in standard time, west below 0, by the rules of the year in which it is asked; from an IANA name. */
export const utcOffsetStandard = zoneFunction((offsets) => Math.min(...offsets))

/** Whether clocks are changed in the year in which it is asked; from an IANA name. */
export const observesDst = zoneFunction((offsets) => new Set(offsets).size > 1)

/** A computation from the zone, the one input, whatever its name. */
function zoneFunction(compute: (offsets: number[]) => Value): ComputedFunction {
  return (inputs, _options, now) => {
    const [zone = null] = Object.values(inputs)
    return zone === null ? null : compute(offsetsOf(String(zone), now))
  }
}

/** The offset at the middle of every month of the year, in hours. */
function offsetsOf(zone: string, now: Date): number[] {
  const format = formatOf(zone)
  return Array.from({ length: 12 }, (_, month) => {
    const name = format
      .formatToParts(Date.UTC(now.getUTCFullYear(), month, 15, 12))
      .find(({ type }) => type === 'timeZoneName')!.value
    const [, sign = '+', hours = '0', minutes = '0'] = /^GMT(?:([+-])(\d\d):(\d\d))?$/.exec(name)!
    return Number(`${sign}1`) * (Number(hours) + Number(minutes) / 60)
  })
}

function formatOf(zone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })
  } catch (cause) {
    throw new UpstreamError('bad_value', `${zone} is not the name of a time zone, such as America/Denver.`, { cause })
  }
}
