import { UpstreamError } from '../../model/error.ts'
import { remember } from '../remember.ts'
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

/** The offsets by zone and year. Computing them takes a fifth of a millisecond. */
const offsetsByZone = new Map<string, number[]>()

/** The UTC offset in the middle of each month of the current year, in hours. */
function offsetsOf(zone: string, now: Date): number[] {
  const year = now.getUTCFullYear()
  const key = `${zone} ${year}`
  return offsetsByZone.get(key) ?? remember(offsetsByZone, key, computeOffsets(zone, year))
}

function computeOffsets(zone: string, year: number): number[] {
  const format = formatOf(zone)
  return Array.from({ length: 12 }, (_, month) => {
    const name = format.formatToParts(Date.UTC(year, month, 15, 12)).find(({ type }) => type === 'timeZoneName')!.value
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
