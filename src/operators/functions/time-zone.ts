import { UpstreamError } from '../../model/error.ts'
import type { Value } from '../../model/source.ts'
import type { ComputedFunction } from './function.ts'

/**
 * The UTC offset of standard time in hours, negative in the west, by the rules of the current year. The input is an
 * IANA name.
 */
export const utcOffsetStandard = zoneFunction((offsets) => Math.min(...offsets))

/** Whether clocks change in the current year. The input is an IANA name. */
export const observesDst = zoneFunction((offsets) => new Set(offsets).size > 1)

/** Wraps a function of a time zone. The zone is the only input, with any name. */
function zoneFunction(compute: (offsets: number[]) => Value): ComputedFunction {
  return (inputs, _options, now) => {
    const [zone = null] = Object.values(inputs)
    return zone === null ? null : compute(offsetsOf(String(zone), now))
  }
}

/** The UTC offset in the middle of each month, in hours. */
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
    throw new UpstreamError('bad_value', `Unknown time zone ${zone}. Expected an IANA name such as America/Denver.`, {
      cause,
    })
  }
}
